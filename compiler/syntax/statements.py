"""Whole statements and the script."""

from __future__ import annotations

from dataclasses import replace

from .clauses import Clauses, labelled_once
from .fold import Node, Part, part
from .nodes import (
    Archive,
    Bounded,
    ColumnDefinition,
    CreateMerge,
    CreateQuery,
    CreateSource,
    CreateView,
    Elements,
    Emit,
    Every,
    From,
    Guarantee,
    IdleAfter,
    Into,
    Key,
    MaxAhead,
    MergeInput,
    Name,
    NamedQuery,
    OrderBy,
    Query,
    Revise,
    Revisions,
    Script,
    VersionBy,
    WithStats,
)
from .queries import Queries
from .sources import Sources
from .trials import Trials


class Statements(Trials, Queries, Sources, Clauses):
    """Handlers of the statements: together with its bases, of every rule of the grammar."""

    def script(self, node: Node) -> Script:
        return Script(tuple(node.children))

    def create_source(self, node: Node) -> CreateSource:
        name = node.first(Name)
        assert name is not None
        return CreateSource(
            kind=part(node, "kind"),
            name=name,
            columns=tuple(node.all(ColumnDefinition)),
            key=self.once(node, Key, "KEY"),
            order_by=self.once(node, OrderBy, "ORDER BY"),
            version_by=self.once(node, VersionBy, "VERSION BY"),
            elements=self.once(node, Elements, "ELEMENTS"),
            guarantees=self._guarantees(node),
            source=self._from(node),
            revisions=self.once(node, Revisions, "REVISIONS"),
            idle_after=self.once(node, IdleAfter, "IDLE AFTER"),
            max_ahead=self.once(node, MaxAhead, "MAX AHEAD"),
            archive=self.once(node, Archive, "ARCHIVE"),
            with_stats=self.once(node, WithStats, "WITH STATS"),
            span=node.span,
        )

    def _guarantees(self, node: Node) -> tuple[Guarantee, ...]:
        found = {}
        for guarantee in node.all(Guarantee):
            if guarantee.kind in found:
                self.refuse("RF1011", f"{guarantee.kind.upper()} is given twice", guarantee.span)
            found[guarantee.kind] = guarantee
        return tuple(found.values())

    def _from(self, node: Node) -> From | None:
        """FROM with the OPTIONS, which may stand anywhere behind the columns."""
        source = self.once(node, From, "FROM")
        options = labelled_once(self, node, "options", "OPTIONS")
        if options is None or source is None:
            for stray in [p for p in node.all(Part) if p.label == "options" and source is None]:
                self.refuse("RF1015", "OPTIONS needs a FROM to belong to", stray.span)
            return source
        return replace(source, options=options)

    def create_merge(self, node: Node) -> CreateMerge:
        name = node.first(Name)
        assert name is not None
        if part(node, "kind") != "stream":
            self.refuse("RF1015", "only a STREAM is a MERGE of others", name.span)
        policy, fraction = labelled_once(self, node, "policy", "POLICY") or (None, None)
        return CreateMerge(
            name=name,
            inputs=tuple(node.all(MergeInput)),
            policy=policy,
            fraction=fraction,
            stable_lag=labelled_once(self, node, "stable lag", "STABLE LAG"),
            feedback=bool(labelled_once(self, node, "feedback", "FEEDBACK")),
            span=node.span,
        )

    def create_view(self, node: Node) -> CreateView:
        name, query = node.children
        return CreateView(name, self._not_a_name(query), node.span)

    def create_query(self, node: Node) -> CreateQuery:
        name, query = node.children[:2]
        return self._query(name, query, node)

    def bare_query(self, node: Node) -> CreateQuery:
        return self._query(None, node.children[0], node)

    def _query(self, name: Name | None, query: Query, node: Node) -> CreateQuery:
        return CreateQuery(
            name=name,
            query=self._not_a_name(query),
            revise=self.once(node, Revise, "REVISE BY"),
            emit=self.once(node, Emit, "EMIT"),
            every=self.once(node, Every, "EVERY"),
            into=self.once(node, Into, "INTO"),
            span=node.span,
        )

    def _not_a_name(self, query: Query) -> Query:
        """A name alone is refused: it is a mistyped word far more often than a query."""
        inner = query.query if isinstance(query, Bounded) else query
        if isinstance(inner, NamedQuery):
            message = f"`{inner.name.text}` alone is not a query"
            hint = f"write SELECT * FROM {inner.name.text}"
            self.refuse("RF1015", message, inner.span, hint=hint)
        return query
