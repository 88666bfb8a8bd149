"""The types of casts, alternatives, elements and fields."""

from __future__ import annotations

from sqlglot import exp

from reflow.grammar.value import value

from .call_types import different
from .casts import castable
from .ddl import DdlError, nearest_type, read_type
from .names import meant, one_of
from .operator_types import OperatorTypes
from .types import UNKNOWN, Type, common_of, with_article


@value
class PartTypes(OperatorTypes):
    """What a part of a value is, and what one of several values is."""

    def cast(self, node: exp.Expr) -> Type:
        value = self(node.this)
        target = node.args["to"]
        text = target.sql(dialect="spark") if isinstance(target, exp.Expr) else str(target)
        try:
            wanted = read_type(text)
        except DdlError as error:
            self.error(
                "RF2009", str(error), target, "a type of Spark SQL", nearest_type(error.word)
            )
            return UNKNOWN
        if not castable(value, wanted):
            self.error("RF2111", f"{with_article(value)} cannot be cast to {wanted}", node)
        return wanted

    def case(self, node: exp.Case) -> Type:
        results = []
        for branch in node.args.get("ifs") or []:
            if node.this is None:
                self.condition(branch.this, "WHEN")
            else:
                self.compare(branch.this, node.this, branch.this)
            results.append(branch.args["true"])
        default = node.args.get("default")
        if default is not None:
            results.append(default)
        types = tuple(self(result) for result in results)
        found = common_of(types)
        if found is not None:
            return found
        message = f"the branches of CASE have no common type: {different(types)}"
        self.error("RF2108", message, node)
        return UNKNOWN

    def element(self, node: exp.Bracket) -> Type:
        whole = self(node.this)
        for index in node.expressions:
            self(index)
        if whole.name == "ARRAY":
            return whole.of[0]
        if whole.name == "MAP":
            return whole.of[1]
        if whole.family:
            self.error(
                "RF2110", f"{with_article(whole)} has no elements", node, "an ARRAY or a MAP"
            )
        return UNKNOWN

    def field(self, node: exp.Dot) -> Type:
        whole, field = self(node.this), node.expression.name
        if whole.name == "MAP":
            return whole.of[1]
        if whole.name == "ARRAY" and whole.of[0].name == "STRUCT":
            return UNKNOWN
        if whole.name != "STRUCT":
            if whole.family:
                self.error(
                    "RF2110", f"{with_article(whole)} has no field `{field}`", node, "a STRUCT"
                )
            return UNKNOWN
        folded = [name.casefold() for name in whole.fields]
        if field.casefold() in folded:
            return whole.of[folded.index(field.casefold())]
        self._unknown_field(node, field, whole)
        return UNKNOWN

    def _unknown_field(self, node: exp.Dot, field: str, whole: Type) -> None:
        self.error(
            "RF2011",
            f"the struct has no field `{field}`",
            node,
            one_of(whole.fields),
            meant(field, whole.fields),
        )
