"""The parts of CREATE STREAM, RELATION and NRR: columns, guarantees, clauses, archive, merge."""

from __future__ import annotations

from typing import Any

from .clauses import labelled_once
from .fold import Node, Part, part
from .lengths import Lengths
from .nodes import (
    Archive,
    ColumnDefinition,
    Elements,
    From,
    Guarantee,
    IdleAfter,
    Key,
    Layout,
    Length,
    MaxAhead,
    MergeInput,
    Name,
    OrderBy,
    Revisions,
    SampleBy,
    Statistic,
    Summary,
    VersionBy,
    WithStats,
)
from .types import Types
from .words import unquoted


class Sources(Types, Lengths):
    """Handlers of what a source is declared with."""

    def source_kind(self, node: Node) -> Part:
        return Part("kind", node.words[0].lower(), node.span)

    def column_definition(self, node: Node) -> ColumnDefinition:
        name, kind = node.children
        return ColumnDefinition(name, kind.text, kind.span, node.span)

    def key(self, node: Node) -> Key:
        return Key(tuple(node.children), node.span)

    def order_by(self, node: Node) -> OrderBy:
        strict = "STRICT" in node.words
        return OrderBy(node.first(Name), node.first(Length), strict, node.span)

    def version_by(self, node: Node) -> VersionBy:
        return VersionBy(node.children[0], node.span)

    def elements(self, node: Node) -> Elements:
        return Elements(tuple(node.children), node.span)

    def guarantee(self, node: Node) -> Guarantee:
        kind: Any = " ".join(node.words).lower()
        return Guarantee(kind, node.span)

    def from_source(self, node: Node) -> From:
        texts = node.tokens("STRING")
        text = unquoted(texts[0]) if texts else None
        if "SOURCE" in node.words:
            return From(text or "", None, (), node.span)
        return From(part(node, "format"), text, (), node.span)

    def source_format(self, node: Node) -> Part:
        return Part("format", node.words[0].lower(), node.span)

    def revisions(self, node: Node) -> Revisions:
        marks = [p.value for p in node.all(Part)]
        operations = [operation for operation, _ in marks]
        for operation in sorted(set(operations)):
            if operations.count(operation) > 1:
                self.refuse("RF1011", f"{operation.upper()} is given twice", node.span)
        return Revisions(node.first(Name), tuple(marks), "DEBEZIUM" in node.words, node.span)

    def mark(self, node: Node) -> Part:
        """An operation and the text that stands for it in the column."""
        value = part(node, "value")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return Part("mark", (node.words[0].lower(), text), node.span)

    def idle_after(self, node: Node) -> IdleAfter:
        return IdleAfter(node.children[0], node.span)

    def max_ahead(self, node: Node) -> MaxAhead:
        return MaxAhead(node.children[0], node.span)

    def archive(self, node: Node) -> Archive:
        keep = labelled_once(self, node, "keep", "KEEP")
        return Archive(
            keep=keep if isinstance(keep, Length) else None,
            keep_rows=keep if isinstance(keep, int) else None,
            bucket_rows=labelled_once(self, node, "bucket", "BUCKET"),
            layout=self.once(node, Layout, "LAYOUT"),
            sample_by=self.once(node, SampleBy, "SAMPLE BY"),
            summaries=tuple(node.all(Summary)),
            span=node.span,
        )

    def keep(self, node: Node) -> Part:
        (bound,) = node.children
        value = bound if isinstance(bound, Length) else self.whole(bound)
        return Part("keep", value, node.span)

    def bucket(self, node: Node) -> Part:
        return Part("bucket", self.whole(node.children[0]), node.span)

    def layout(self, node: Node) -> Layout:
        kind: Any = node.words[1].lower()
        fractions = tuple(p.value / 100 for p in node.all(Part))
        blocks = node.tokens("NUMBER")
        return Layout(kind, fractions, self.whole(blocks[0]) if blocks else None, node.span)

    def sample_by(self, node: Node) -> SampleBy:
        return SampleBy(tuple(node.children), node.span)

    def summary(self, node: Node) -> Summary:
        name, query = node.children
        return Summary(name, query, node.span)

    def with_stats(self, node: Node) -> WithStats:
        return WithStats(tuple(node.children), node.span)

    def statistic(self, node: Node) -> Statistic:
        kinds = node.tokens("NAME")
        kind = "distinct" if node.words else kinds[0].lower()
        value = self.decimal(node.tokens("NUMBER")[0])
        return Statistic(kind, node.first(Name), value, node.span)

    def merge_input(self, node: Node) -> MergeInput:
        return MergeInput(node.children[0], bool(node.words), node.span)

    def policy(self, node: Node) -> Part:
        fraction = self.decimal(node.children[0]) if node.children else None
        return Part("policy", (" ".join(node.words[1:]).lower(), fraction), node.span)

    def stable_lag(self, node: Node) -> Part:
        return Part("stable lag", node.children[0], node.span)

    def feedback(self, node: Node) -> Part:
        return Part("feedback", True, node.span)
