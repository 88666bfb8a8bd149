"""The compiler, stage by stage: one function per arrow.

    Source -> Script -> Plan -> Facts -> rewritten Plan -> PhysicalPlan -> program text

Every mistake in the text is a CqlError (grammar/diagnostic); anything else that is raised is a bug.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import PurePath
from types import MappingProxyType

from reflow import __version__
from reflow.grammar.diagnostic import Diagnostic
from reflow.grammar.source import Source
from reflow.grammar.value import value

from . import explain as explaining
from .analyse import Facts
from .analyse import analyse as analyse_plan
from .bind import BadSetting, is_of_spark
from .bind import bind as bind_script
from .cost import Costing, Observed
from .physical import PhysicalPlan, plan_program
from .plan.graph import Plan
from .rewrite import Applied, Decision, Rewritten
from .rewrite import rewrite as rewrite_plan
from .syntax.build import read_what_can_be
from .syntax.nodes import Script

_CALLS = 6000
_NONE: Mapping[str, str] = MappingProxyType({})
_NOTHING_SEEN: Observed = MappingProxyType({})


@value
class Compiled:
    """A compiled file: its program and all that led to it. `bound` is the plan before the
    rewrites."""

    bound: Plan
    plan: Plan
    facts: Facts
    physical: PhysicalPlan
    rewrites: tuple[Applied, ...]
    warnings: tuple[Diagnostic, ...]
    decisions: tuple[Decision, ...] = ()

    @cached_property
    def program_text(self) -> str:
        """The program; written when it is asked for, which EXPLAIN does not do."""
        return program(self.physical)

    @property
    def text(self) -> str:
        return self.program_text


@value
class Page:
    """An explanation, with the warnings about the file."""

    text: str
    warnings: tuple[Diagnostic, ...]


def read(source: Source) -> Script:
    """Text to statements; those that are wrong are carried on, with what is wrong."""
    return read_what_can_be(source)


def bind(
    source: Source, script: Script, name: str, settings: Mapping[str, str] = _NONE
) -> tuple[Plan, tuple[Diagnostic, ...]]:
    """Statements to a plan, and the warnings about it. `settings` win over those of the text."""
    plan, warnings = bind_script(source, script, name, settings)
    return plan, tuple(warnings)


def rewrite(plan: Plan, costing: Costing | None = None) -> Rewritten:
    """A plan to a cheaper plan of the same meaning."""
    return rewrite_plan(plan, costing)


def analyse(plan: Plan) -> Facts:
    """A plan to the facts about it."""
    return analyse_plan(plan)


def physical(plan: Plan, facts: Facts, costing: Costing | None = None) -> PhysicalPlan:
    """A plan and its facts to steps of the runtime; `costing` tells what they should do."""
    return plan_program(plan, facts, costing)


def program(steps: PhysicalPlan) -> str:
    """Steps to the text of a program."""
    from .emit import emit

    return emit(steps, __version__)


@contextmanager
def deep() -> Iterator[None]:
    """Room for the deepest nesting that the grammar allows: parsers take twenty calls a level."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@deep()
def compile_source(
    source: Source, settings: Mapping[str, str] = _NONE, observed: Observed = _NOTHING_SEEN
) -> Compiled:
    """All stages, for a source whose path names the program.

    `settings` of Reflow win over SET in the text; one that is none raises BadSetting. `observed`
    are the figures of an earlier run's archives: they count where WITH STATS says nothing.
    """
    bound, warnings = bind(source, read(source), PurePath(source.path).stem, settings)
    return compile_plan(bound, warnings, observed)


def compile_plan(
    bound: Plan, warnings: tuple[Diagnostic, ...] = (), observed: Observed = _NOTHING_SEEN
) -> Compiled:
    """The stages behind the binder."""
    costing = Costing(observed)
    rewritten = rewrite(bound, costing)
    facts = analyse(rewritten.plan)
    return Compiled(
        bound=bound,
        plan=rewritten.plan,
        facts=facts,
        physical=physical(rewritten.plan, facts, costing),
        rewrites=rewritten.applied,
        warnings=warnings,
        decisions=rewritten.decisions,
    )


def compile_text(text: str, name: str = "query") -> Compiled:
    """All stages, for a text that is in no file."""
    return compile_source(Source(f"{name}.cql", text))


def explain(compiled: Compiled, form: str = "tree") -> str:
    """What was compiled, as a page: `tree`, `json`, `dot` or `mermaid`."""
    return explaining.explain(
        compiled.physical,
        compiled.rewrites,
        [w.message for w in compiled.warnings],
        form,
        compiled.decisions,
    )


def explain_source(source: Source, form: str = "tree", observed: Observed = _NOTHING_SEEN) -> Page:
    """Compile and explain."""
    compiled = compile_source(source, observed=observed)
    return Page(explain(compiled, form), compiled.warnings)


__all__ = [
    "BadSetting",
    "Compiled",
    "Page",
    "analyse",
    "bind",
    "compile_plan",
    "compile_source",
    "compile_text",
    "deep",
    "explain",
    "explain_source",
    "is_of_spark",
    "physical",
    "program",
    "read",
    "rewrite",
]
