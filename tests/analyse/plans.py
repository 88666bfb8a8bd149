"""Plans of text for the tests of analyses."""

from __future__ import annotations

from reflow.compiler.analyse import Facts, analyse
from reflow.compiler.plan.operators import Operator
from reflow.compiler.plan.parse import parse


def below(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def over(operator: str, *inputs: str) -> str:
    return "\n".join([operator, *(below(text) for text in inputs)])


def root(text: str, emit: str = "changes") -> tuple[Operator, Facts]:
    """The operator below the sink, or the sink where it is asked to hold rows back."""
    plan = parse(f"Sink q to memory as changelog emit {emit} columns (x)\n{below(text)}")
    [sink] = plan.sinks
    return (sink.input if emit == "changes" else sink), analyse(plan)
