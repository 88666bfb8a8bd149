"""Function calls as sqlglot expressions; names stay as the user wrote them."""

from __future__ import annotations

from sqlglot import exp

from reflow.grammar.words import words

from .fold import Fold, Node, Part, part
from .nodes import Name
from .spans import spanned

# Aggregates with a class of their own in sqlglot that prints as it is called.
_CLASSES: dict[str, type[exp.Expression]] = {
    "COUNT": exp.Count,
    "SUM": exp.Sum,
    "AVG": exp.Avg,
    "MIN": exp.Min,
    "MAX": exp.Max,
    "STDDEV": exp.Stddev,
    "VARIANCE": exp.Variance,
}

# All others of Spark SQL: `exp.AnonymousAggFunc`, so that every aggregate is an `exp.AggFunc`.
_AGGREGATES = words(
    """
    ANY ANY_VALUE APPROX_COUNT_DISTINCT APPROX_PERCENTILE ARRAY_AGG BIT_AND BIT_OR BIT_XOR BOOL_AND
    BOOL_OR COLLECT_LIST COLLECT_SET CORR COUNT_IF COVAR_POP COVAR_SAMP EVERY FIRST FIRST_VALUE
    KURTOSIS LAST LAST_VALUE LISTAGG MAX_BY MEAN MEDIAN MIN_BY MODE PERCENTILE PERCENTILE_APPROX
    REGR_AVGX REGR_AVGY REGR_COUNT REGR_INTERCEPT REGR_R2 REGR_SLOPE REGR_SXX REGR_SXY REGR_SYY
    SKEWNESS SOME STD STDDEV_POP STDDEV_SAMP STRING_AGG TRY_AVG TRY_SUM VAR_POP VAR_SAMP
    """
)


class Functions(Fold):
    """Handlers of `function`, `filtered` and `lambda`."""

    def quantifier(self, node: Node) -> Part:
        return Part("distinct", True, node.span)

    def function(self, node: Node) -> exp.Expression:
        name: Name = node.children[0]
        if name.quoted:
            self.refuse("RF1017", "the name of a function is not quoted", name.span)
        arguments: list[exp.Expression] = node.all(exp.Expression)
        if (
            isinstance(arguments[0] if arguments else None, exp.Star)
            and name.text.upper() != "COUNT"
        ):
            self.refuse("RF1017", f"only COUNT takes `*`, not {name.text}", node.span)
        return spanned(self._call(name, arguments, bool(part(node, "distinct")), node), node.span)

    def _call(
        self, name: Name, arguments: list[exp.Expression], distinct: bool, node: Node
    ) -> exp.Expression:
        upper = name.text.upper()
        kind = _CLASSES.get(upper)
        if kind is None and upper not in _AGGREGATES:
            if distinct:
                self.refuse(
                    "RF1017", f"DISTINCT is for aggregates, and {name.text} is none", node.span
                )
            return exp.Anonymous(this=name.text, expressions=arguments)
        if kind is not None and (not arguments or (len(arguments) > 1 and kind is not exp.Count)):
            self.refuse("RF1017", f"{upper} takes one argument", node.span)
            arguments = arguments[:1] or [exp.Null()]
        if distinct:
            arguments = [spanned(exp.Distinct(expressions=arguments), node.span)]
        if kind is None:
            return exp.AnonymousAggFunc(this=name.text, expressions=arguments)
        if kind is exp.Count:
            return exp.Count(this=arguments[0], expressions=arguments[1:], big_int=True)
        return kind(this=arguments[0])

    def filtered(self, node: Node) -> exp.Expression:
        function, condition = node.children
        if not isinstance(function, exp.AggFunc):
            self.refuse("RF1017", "FILTER follows an aggregate", node.span)
        return spanned(exp.Filter(this=function, expression=exp.Where(this=condition)), node.span)

    def lambda_(self, node: Node) -> exp.Expression:
        """`x -> …` or `(x, y) -> …`; the variables are identifiers."""
        variables, body = node.children
        return spanned(exp.Lambda(this=body, expressions=self._variables(variables)), node.span)

    def _variables(self, variables: Name | exp.Expression) -> list[exp.Expression]:
        if isinstance(variables, Name):
            return [exp.Identifier(this=variables.text, quoted=variables.quoted)]
        found = []
        for variable in variables.expressions:
            if not isinstance(variable, exp.Column) or variable.table:
                self.refuse("RF1017", "a plain name is needed before `->`", variable.meta["span"])
                continue
            found.append(variable.this)
        return found
