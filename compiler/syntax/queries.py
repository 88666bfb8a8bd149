"""Queries: SELECT, set operators, joins, and what stands in FROM."""

from __future__ import annotations

from sqlglot import exp

from .expressions import Expressions
from .fold import Node, Part, part
from .names import column_of
from .nodes import (
    BeginEnd,
    Bounded,
    DerivedTable,
    Join,
    Name,
    NamedQuery,
    Query,
    QueryExpression,
    Reduction,
    ReportQuery,
    Select,
    SelectItem,
    SetOperation,
    TableName,
    Window,
)
from .spans import spanned
from .windows import Windows


class Queries(Expressions, Windows):
    """Handlers of the rules from `select` to `bracketed_join`."""

    def select(self, node: Node) -> Select:
        items = tuple(node.all(SelectItem))
        report = part(node, "report")
        if report:
            self._refuse_query_behind_report(report, items[0])
        return Select(
            report=report,
            distinct=bool(part(node, "distinct")),
            items=items,
            from_items=part(node, "from"),
            where=part(node, "where"),
            group_by=part(node, "group by") or (),
            having=part(node, "having"),
            span=node.span,
        )

    def _refuse_query_behind_report(self, report: str, item: SelectItem) -> None:
        value = item.expression
        if isinstance(value, QueryExpression) and value.args["kind"] == "scalar":
            word = report.upper()
            message = f"SELECT {word} (SELECT …) could mean two things"
            hint = (
                f"write {word} (SELECT …) for the query, or put the subquery behind another column"
            )
            self.refuse("RF1015", message, item.span, hint=hint)

    def report(self, node: Node) -> Part:
        return Part("report", node.words[0].lower(), node.span)

    def item(self, node: Node) -> SelectItem:
        expression, *alias = node.children
        return SelectItem(expression, alias[0] if alias else None, node.span)

    def all_columns(self, node: Node) -> exp.Expression:
        return spanned(exp.Star(), node.span)

    def all_columns_of(self, node: Node) -> exp.Expression:
        table = node.children[0]
        if not isinstance(table, exp.Column) or table.table:
            self.refuse("RF1017", "only a table's name goes before `.*`", node.span)
            return spanned(exp.Star(), node.span)
        return spanned(exp.Column(this=exp.Star(), table=table.this), node.span)

    def from_tables(self, node: Node) -> Part:
        return Part("from", tuple(node.children), node.span)

    def where(self, node: Node) -> Part:
        return Part("where", node.children[0], node.span)

    def group_by(self, node: Node) -> Part:
        return Part("group by", tuple(node.children), node.span)

    def having(self, node: Node) -> Part:
        return Part("having", node.children[0], node.span)

    # --- FROM -------------------------------------------------------------------------------------

    def table_alias(self, node: Node) -> Part:
        name: Name = node.children[0]
        return Part("alias", name, node.span)

    def table_name(self, node: Node) -> TableName:
        return TableName(node.children[0], *self._table_parts(node), node.span)

    def derived_table(self, node: Node) -> DerivedTable:
        return DerivedTable(node.children[0], *self._table_parts(node), node.span)

    def reported_table(self, node: Node) -> ReportQuery:
        return self.report_query(node)

    def _table_parts(self, node: Node) -> tuple[Window | None, Reduction | None, Name | None]:
        """Window, reduction and alias, which stand in any order."""
        for label, what in _TABLE_PARTS.items():
            for extra in [p for p in node.all(Part) if p.label == label][1:]:
                self.refuse("RF1011", f"{what} is given twice for one table", extra.span)
        return part(node, "window"), part(node, "reduction"), part(node, "alias")

    def join(self, node: Node) -> Join:
        left, *kind, right, condition = node.children
        on, using = condition.value
        return Join(kind[0] if kind else "inner", left, right, on, using, node.span)

    def join_kind(self, node: Node) -> str:
        return node.words[0].lower()

    def join_condition(self, node: Node) -> Part:
        using = tuple(node.all(Name))
        return Part("condition", (None if using else node.children[0], using), node.span)

    def bracketed_join(self, node: Node) -> Join:
        join: Join = node.children[0]
        return join

    # --- Set operators and the like ---------------------------------------------------------------

    def named_query(self, node: Node) -> NamedQuery:
        return NamedQuery(node.children[0], node.span)

    def bracketed(self, node: Node) -> Query:
        query: Query = node.children[0]
        return query

    def report_query(self, node: Node) -> ReportQuery:
        report, query = node.children
        return ReportQuery(report.value, query, node.span)

    def bounded(self, node: Node) -> Bounded:
        query, bounds = node.children
        assert isinstance(bounds, BeginEnd)
        return Bounded(query, bounds, node.span)

    def union_or_except(self, node: Node) -> Part:
        by = tuple(column_of(path) for path in node.children)
        return Part("operator", (node.words[0].lower(), "ALL" in node.words, by), node.span)

    intersect = union_or_except

    def set_operation(self, node: Node) -> SetOperation:
        left, operator, right = node.children
        kind, every, by = operator.value
        return SetOperation(kind, every, by, left, right, node.span)


_TABLE_PARTS = {"window": "the window", "reduction": "REDUCE", "alias": "the alias"}
