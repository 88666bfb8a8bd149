"""The same part of a plan under other names: a form of each operator that no name of a query
enters.

In: an operator. Out: an operator that means the same and is equal to that of any other part which
does, as far as names, the order of conditions and projections that only rename go. It is compared,
never run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reflow.grammar.value import value

from ..plan.expressions import bare_column, conjunction, conjuncts, quoted, replace_columns
from ..plan.operators import (
    Distinct,
    Filter,
    Group,
    Join,
    NrrJoin,
    Operator,
    Project,
    Report,
    RowsWindow,
    SemiJoin,
    SessionWindow,
    SetOperation,
    Union,
    Window,
)
from ..plan.operators.base import Expr
from ..plan.schema import names

Renaming = Mapping[str, str]


@value
class Form:
    """The operator without names, and what each of its columns is called there."""

    operator: Operator
    called: Renaming


class Forms:
    """Makes the form of each operator once; inputs must be asked for before those that read them,
    so that no plan is too deep.
    """

    def __init__(self) -> None:
        self._found: dict[Operator, Form] = {}

    def of(self, operator: Operator) -> Form:
        if operator not in self._found:
            self._found[operator] = self._form(operator)
        return self._found[operator]

    def _form(self, operator: Operator) -> Form:
        match operator:
            case Filter():
                below = self.of(operator.input)
                return Form(
                    Filter(below.operator, _all_of(operator.predicate, below)), below.called
                )
            case Window() | Distinct() | Report():
                below = self.of(operator.input)
                return Form(replace(operator, input=below.operator), below.called)
            case RowsWindow() | SessionWindow():
                below = self.of(operator.input)
                by = tuple(_renamed(each, below) for each in operator.by)
                return Form(replace(operator, input=below.operator, by=by), below.called)
            case Project():
                return _projected(operator, self.of(operator.input))
            case Union():
                branches = [self._by_position(branch) for branch in operator.branches]
                called = dict(zip(names(operator.schema), names(branches[0].schema), strict=True))
                return Form(Union(tuple(branches)), called)
            case Join():
                return self._joined(operator)
            case SemiJoin():
                return self._half_joined(operator)
            case SetOperation():
                return self._compared(operator)
            case NrrJoin():
                return self._with_relation(operator)
            case Group():
                return self._grouped(operator)
        # Scans have the names of their declaration. Other operators are the same only where they
        # are equal as they stand.
        return Form(operator, {name: name for name in names(operator.schema)})

    def _by_position(self, operator: Operator) -> Operator:
        """The form with its columns in the operator's order."""
        form = self.of(operator)
        columns = [(c.name, c.type) for c in operator.schema]
        return Project(
            form.operator,
            tuple(
                (f"c{i}", Expr(quoted(form.called[name]), type_))
                for i, (name, type_) in enumerate(columns)
            ),
        )

    def _side(self, operator: Operator, letter: str) -> Form:
        """The form with its columns renamed, so that the two sides of a join differ."""
        form = self.of(operator)
        renamed = {name: f"{letter}{i}" for i, name in enumerate(names(form.operator.schema))}
        columns = tuple(
            (renamed[c.name], Expr(quoted(c.name), c.type)) for c in form.operator.schema
        )
        called = {own: renamed[name] for own, name in form.called.items()}
        return Form(Project(form.operator, columns), called)

    def _joined(self, join: Join) -> Form:
        left, right = self._side(join.left, "l"), self._side(join.right, "r")
        equal = tuple(sorted((left.called[a], right.called[b]) for a, b in join.equal))
        both = Form(join, {**left.called, **right.called})
        condition = None if join.condition is None else _all_of(join.condition, both)
        return Form(Join(left.operator, right.operator, equal, condition), both.called)

    def _compared(self, sets: SetOperation) -> Form:
        left, right = map(self._by_position, sets.inputs)
        ours = dict(zip(names(sets.left.schema), names(left.schema), strict=True))
        theirs = dict(zip(names(sets.right.schema), names(right.schema), strict=True))
        by = tuple((ours[a], theirs[b]) for a, b in sets.by)
        return Form(replace(sets, left=left, right=right, by=by), ours)

    def _half_joined(self, join: SemiJoin) -> Form:
        left, right = self._side(join.left, "l"), self._side(join.right, "r")
        equal = tuple(sorted((left.called[a], right.called[b]) for a, b in join.equal))
        both = Form(join, {**left.called, **right.called})
        condition = None if join.condition is None else _all_of(join.condition, both)
        made = SemiJoin(left.operator, right.operator, equal, condition, join.anti)
        return Form(made, left.called)

    def _with_relation(self, join: NrrJoin) -> Form:
        below = self._side(join.input, "i")
        columns = tuple(sorted((f"n_{of}", of) for _, of in join.columns))
        called = {**below.called, **{name: f"n_{of}" for name, of in join.columns}}
        whole = Form(join, called)
        return Form(
            NrrJoin(
                below.operator,
                join.relation,
                columns,
                tuple(sorted((called[a], called[b]) for a, b in join.equal)),
                None if join.condition is None else _all_of(join.condition, whole),
                None if join.at is None else _renamed(join.at, below),
                join.outer,
            ),
            called,
        )

    def _grouped(self, group: Group) -> Form:
        below = self.of(group.input)
        keys = tuple((f"k{i}", _renamed(e, below)) for i, (_, e) in enumerate(group.keys))
        made = tuple(
            replace(
                aggregate,
                name=f"a{i}",
                argument=None
                if aggregate.argument is None
                else _renamed(aggregate.argument, below),
            )
            for i, aggregate in enumerate(group.aggregates)
        )
        called = {name: f"k{i}" for i, (name, _) in enumerate(group.keys)}
        called |= {a.name: f"a{i}" for i, a in enumerate(group.aggregates)}
        return Form(replace(group, input=below.operator, keys=keys, aggregates=made), called)


def _projected(project: Project, below: Form) -> Form:
    columns = [(name, _renamed(expression, below)) for name, expression in project.columns]
    bare = [(name, bare_column(expression.sql)) for name, expression in columns]
    kept = {name: column for name, column in bare if column is not None}
    if len(kept) == len(bare) and sorted(kept.values()) == sorted(names(below.operator.schema)):
        # It only renames, or puts columns in another order.
        return Form(below.operator, kept)
    # The same columns in another order are the same columns.
    ordered = sorted(dict.fromkeys(expression for _, expression in columns), key=_text)
    called = {name: f"p{ordered.index(expression)}" for name, expression in columns}
    made = tuple((f"p{i}", expression) for i, expression in enumerate(ordered))
    return Form(Project(below.operator, made), called)


def _text(expression: Expr) -> tuple[str, str]:
    return expression.sql, expression.type


def _renamed(expression: Expr, form: Form) -> Expr:
    return Expr(_sql(expression.sql, form.called), expression.type)


def _all_of(predicate: Expr, form: Form) -> Expr:
    """The conditions in an order of their own."""
    parts = sorted(_sql(part, form.called) for part in conjuncts(predicate.sql))
    return Expr(conjunction(parts), predicate.type)


def _sql(sql: str, called: Renaming) -> str:
    return replace_columns(sql, {own: quoted(name) for own, name in called.items()})
