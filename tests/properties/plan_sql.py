"""A plan of the compiler as a query of the oracle: what it means, whatever the engine makes of it.

This lets the oracle judge rewrites without Spark: the plan before and the plan after must have the
same answer at every instant. The meaning of each operator is said here once more, in DuckDB's SQL.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import count

from sqlglot import parse_one

from reflow.compiler.plan.aggregates import IN_ORDER
from reflow.compiler.plan.expressions import bare_column
from reflow.compiler.plan.operators import (
    Aggregate,
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
    Reconstitution,
    Relation,
    Report,
    RowsWindow,
    Scan,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Sink,
    Union,
    Window,
)
from reflow.compiler.plan.schema import names

from ..oracle.query import Branch, NrrUse, Query, View, Windowed
from ..oracle.windows import Log, Now, Range, Rows, Session, Unbounded
from ..oracle.windows import Window as OracleWindow


class NotSaid(Exception):
    """The oracle has no words for this plan."""


def query_of(sink: Sink) -> Query:
    """The answer that a sink receives."""
    return _query(sink.input)


def _query(operator: Operator) -> Query:
    """A whole query; a report stands at its top."""
    texts = _Texts()
    if isinstance(operator, Report):
        sql = texts.relation(operator.input)
        return Query(sql, texts.inputs, texts.nrrs, operator.kind)
    return Query(texts.relation(operator), texts.inputs, texts.nrrs)


@dataclass
class _Texts:
    inputs: dict[str, Windowed] = field(default_factory=dict)
    nrrs: dict[str, NrrUse] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)

    def relation(self, operator: Operator) -> str:
        """The operator's rows at an instant, in the columns of its schema."""
        match operator:
            case Window():
                return self._plain(operator, self.stream(operator.input, _window(operator)))
            case RowsWindow() | SessionWindow():
                source = _counted(operator.input)
                return self._plain(operator, self._input(source, _by_rows(operator)))
            case Relation():
                return self._plain(
                    operator, self._input(operator.input.stream.name, _log(operator))
                )
            case Reconstitution():
                return self._plain(operator, self._input(operator.input.stream.name, Unbounded()))
            case Scan() | Report():
                # A stream without a window: for ever.
                return self._plain(operator, self.stream(operator, Unbounded()))
            case Filter() | Project() | Union() | NrrJoin() if _is_stream(operator):
                return self._plain(operator, self.stream(operator, Unbounded()))
            case Filter():
                where = _duck(operator.predicate.sql)
                return f"SELECT * FROM ({self.relation(operator.input)}) WHERE {where}"
            case Project():
                return f"SELECT {_listed(operator)} FROM ({self.relation(operator.input)})"
            case Union():
                return " UNION ALL ".join(f"({self.relation(b)})" for b in operator.branches)
            case Distinct():
                return f"SELECT DISTINCT * FROM ({self.relation(operator.input)})"
            case Join():
                return self._join(operator)
            case SemiJoin():
                return self._semi_join(operator)
            case SetOperation() if not operator.by:
                left, right = map(self.relation, operator.inputs)
                return f"({left}) {operator.kind.upper()} ({right})"
            case Group():
                return self._group(operator)
            case NrrJoin():
                return self._plain(operator, self._nrr(operator, self._traced(operator.input)))
        raise NotSaid(type(operator).__name__)

    def stream(self, operator: Operator, window: OracleWindow) -> str:
        """The rows of a stream under a window, with the hidden `_row` while it is known."""
        match operator:
            case Scan():
                return self._input(operator.stream.name, window)
            case Report():
                return self._input(_query(operator), window)
            case Window() if not operator.written:
                return self.stream(operator.input, window)
            case Filter():
                below = self.stream(operator.input, window)
                return f"SELECT * FROM ({below}) WHERE {_duck(operator.predicate.sql)}"
            case Project():
                below = self.stream(operator.input, window)
                return f"SELECT _row, {_listed(operator)} FROM ({below})"
            case Union():
                parts = [self.stream(branch, window) for branch in operator.branches]
                return " UNION ALL ".join(
                    f"(SELECT NULL::BIGINT AS _row, {_columns(b)} FROM ({text}))"
                    for b, text in zip(operator.branches, parts, strict=True)
                )
            case NrrJoin():
                return self._nrr(operator, self.stream(operator.input, window))
        raise NotSaid(f"{type(operator).__name__} below a window")

    def _input(self, source: str | View | Query, window: OracleWindow) -> str:
        name = f"input_{next(self._numbers)}"
        self.inputs[name] = Windowed(source, window)
        return f"SELECT * FROM {name}"

    def _traced(self, operator: Operator) -> str:
        """Rows that still know which row of their stream they are."""
        match operator:
            case Window():
                return self.stream(operator.input, _window(operator))
            case Scan():
                return self.stream(operator, Unbounded())
            case Filter():
                below = self._traced(operator.input)
                return f"SELECT * FROM ({below}) WHERE {_duck(operator.predicate.sql)}"
            case Project():
                return f"SELECT _row, {_listed(operator)} FROM ({self._traced(operator.input)})"
            case NrrJoin():
                return self._nrr(operator, self._traced(operator.input))
        raise NotSaid(f"NrrJoin over {type(operator).__name__}")

    def _nrr(self, join: NrrJoin, below: str) -> str:
        (stream,) = _scans(join)
        name = f"nrr_{next(self._numbers)}"
        # Which version a row meets depends on its stream alone: any window will do.
        source = f"{name}_rows"
        self.inputs[source] = Windowed(stream, Unbounded())
        self.nrrs[name] = NrrUse(join.relation.name, source)
        renamed = ", ".join(f"{_quoted(of)} AS {_quoted(own)}" for own, of in join.columns)
        relation = f"SELECT _row AS _met{', ' if renamed else ''}{renamed} FROM {name}"
        on = ["_l._row = _r._met", *(f"{_quoted(a)} = {_quoted(b)}" for a, b in join.equal)]
        if join.condition is not None:
            on.append(f"({_duck(join.condition.sql)})")
        columns = ", ".join(["_row", *(_quoted(name) for name in names(join.schema))])
        kind = "LEFT JOIN" if join.outer else "JOIN"
        sides = f"({below}) AS _l {kind} ({relation}) AS _r"
        return f"SELECT {columns} FROM {sides} ON {' AND '.join(on)}"

    def _join(self, join: Join) -> str:
        on = [f"{_quoted(a)} = {_quoted(b)}" for a, b in join.equal]
        if join.condition is not None:
            on.append(f"({_duck(join.condition.sql)})")
        left, right = self.relation(join.left), self.relation(join.right)
        return f"SELECT * FROM ({left}) AS _l JOIN ({right}) AS _r ON {' AND '.join(on) or 'TRUE'}"

    def _semi_join(self, join: SemiJoin) -> str:
        on = [f"{_quoted(a)} = {_quoted(b)}" for a, b in join.equal]
        if join.condition is not None:
            on.append(f"({_duck(join.condition.sql)})")
        kind = "ANTI" if join.anti else "SEMI"
        left, right = self.relation(join.left), self.relation(join.right)
        on_text = " AND ".join(on) or "TRUE"
        return f"SELECT * FROM ({left}) AS _l {kind} JOIN ({right}) AS _r ON {on_text}"

    def _group(self, group: Group) -> str:
        keys = [f"{_duck(e.sql)} AS {_quoted(name)}" for name, e in group.keys]
        made = [f"{_aggregate(a)} AS {_quoted(a.name)}" for a in group.aggregates]
        by = f" GROUP BY {', '.join(_duck(e.sql) for _, e in group.keys)}" if keys else ""
        return f"SELECT {', '.join([*keys, *made])} FROM ({self.relation(group.input)}){by}"

    def _plain(self, operator: Operator, text: str) -> str:
        """Without the hidden row."""
        return f"SELECT {_columns(operator)} FROM ({text})"


def _aggregate(aggregate: Aggregate) -> str:
    """An aggregate that no order decides."""
    function, value = aggregate.function, "*"
    if function in IN_ORDER or function in ("min_by", "max_by"):
        raise NotSaid(function)
    if aggregate.argument is not None:
        value = _duck(aggregate.argument.sql)
    if aggregate.parameter is not None:
        named = {"percentile": "quantile_cont", "percentile_approx": "quantile_disc"}
        return f"{named[function]}({value}, {aggregate.parameter})"
    return f"{function}({'DISTINCT ' if aggregate.distinct else ''}{value})"


def _window(window: Window) -> OracleWindow:
    if window.kind == "unbounded":
        return Unbounded()
    if window.kind == "now":
        return Now()
    assert window.length is not None
    return Range(window.length, window.slide)


def _by_rows(window: RowsWindow | SessionWindow) -> OracleWindow:
    by = tuple(bare_column(each.sql) or "" for each in window.by)
    if "" in by:
        raise NotSaid("a window that is divided by what is computed")
    if isinstance(window, SessionWindow):
        return Session(window.gap, by)
    return Rows(window.rows, by, window.slide or 1, window.length)


def _log(relation: Relation) -> Log:
    """The log of a relation, as the oracle replays it."""
    marks = {value: kind for kind, value in relation.marks}
    order = relation.input.stream.order
    return Log(relation.key, relation.operation, marks, () if order is None else (order,))


def _counted(operator: Operator) -> str | View | Query:
    """The rows that count: of a stream, of a report, of a view of streams."""
    if isinstance(operator, Scan):
        return operator.stream.name
    if isinstance(operator, Report):
        return _query(operator)
    branches = operator.branches if isinstance(operator, Union) else (operator,)
    return View(tuple(_branch(branch) for branch in branches))


def _branch(operator: Operator) -> Branch:
    match operator:
        case Scan():
            return Branch.of(operator.stream.name, _columns(operator))
        case Window() if not operator.written:
            return _branch(operator.input)
        case Filter():
            below = _branch(operator.input)
            where = _duck(operator.predicate.sql)
            return Branch(below.stream, f"SELECT * FROM ({below.sql}) WHERE {where}")
        case Project():
            below = _branch(operator.input)
            listed = _listed(operator)
            return Branch(below.stream, f"SELECT _number, {listed} FROM ({below.sql})")
    raise NotSaid(f"{type(operator).__name__} below a window by rows")


def _is_stream(operator: Operator) -> bool:
    """Linear over streams that have no window."""
    if isinstance(operator, Scan | Report):
        return True
    if isinstance(operator, Filter | Project | Union | NrrJoin):
        return all(map(_is_stream, operator.inputs))
    return False


def _scans(operator: Operator) -> set[str]:
    if isinstance(operator, Scan):
        return {operator.stream.name}
    found = set[str]().union(*map(_scans, operator.inputs))
    if len(found) != 1:
        raise NotSaid("an NRR that is joined with rows of several streams")
    return found


def _columns(operator: Operator) -> str:
    return ", ".join(_quoted(name) for name in names(operator.schema))


def _listed(project: Project) -> str:
    return ", ".join(f"{_duck(e.sql)} AS {_quoted(name)}" for name, e in project.columns)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@cache
def _duck(sql: str) -> str:
    return parse_one(sql, read="spark").sql(dialect="duckdb")
