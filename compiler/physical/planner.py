"""The planner: operators become steps, with the steps between forms that they need.

In: a plan and its facts. Out: a physical plan, whose choices carry their reasons.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..analyse import Facts
from ..analyse.replays import replay
from ..cost import Costing
from ..plan.graph import Plan
from ..plan.operators import Operator
from ..plan.sections import own_operators
from ..plan.settings import NAMES, expiration
from .again import rows_again
from .archive_layout import Readings
from .estimates import estimates, figures
from .feedback import explained, heeds, skips
from .fingerprint import fingerprint
from .own_rows import keeping, own_rows
from .plain import choose_plain
from .program import PhysicalPlan
from .sharing import marked
from .sources import query_outputs, relation_sources, stream_sources
from .steps import Steps
from .strict_state import strict_state

OWN_SETTINGS = frozenset(
    {
        *("timezone", "unbounded_state", "optimizer", "execution", "on_anomaly"),
        *("on_property_violation", "revise_when", "feedback", *NAMES),
    }
)
_WHOLE_FILES = "spark.sql.parquet.filterPushdown"


def plan_program(plan: Plan, facts: Facts, costing: Costing | None = None) -> PhysicalPlan:
    """The program for a plan; what it is expected to cost is told by `costing`."""
    costing = costing or Costing()
    readings = Readings()
    plain = choose_plain(plan, facts)
    own = {} if plain.value else own_rows(plan, facts, costing)
    kept = keeping(own)
    replayed = replay(plan)
    again = rows_again(plan, facts, kept)
    recorded = frozenset[Operator]() if replayed is None else replayed.recorded
    estimated = frozenset[Operator]() if replayed is None else replayed.estimated
    steps = Steps(facts, readings, plain.value, again, kept, recorded, estimated)
    for operator in own_operators(plan):
        steps.of(operator)
    merges = tuple(steps.merges)
    settings = expiration(dict(plan.settings))
    skipped = skips(plan, merges)
    heeded = heeds(plan)
    listed = tuple(explained(step, plan, skipped, heeded) for step in marked(steps.all))
    if replayed is not None:
        readings.replays(replayed, plan)
    drawn = {} if replayed is None else dict(replayed.drawn)
    streams = stream_sources(plan, facts, readings.keep, drawn)
    streams = tuple(
        replace(each, skips=skipped.get(each.name, ()), heeds=heeded.get(each.name, ()))
        for each in streams
    )
    relations = relation_sources(plan)
    return PhysicalPlan(
        name=plan.name,
        fingerprint=fingerprint(plan.timezone, streams, relations, steps.all, replayed, merges),
        timezone=plan.timezone,
        settings=tuple(_passed_on(plan, facts)),
        streams=streams,
        relations=relations,
        queries=query_outputs(plan, facts),
        steps=listed,
        plain=plain.value,
        plain_reason=plain.reason,
        estimates=tuple(estimates(plan, facts, costing, steps.any_of)),
        figures=tuple(figures(plan, facts, costing)),
        choices=(*own.values(), *strict_state(plan, facts, costing, settings.partitions)),
        expiration=settings,
        execution=facts.execution,
        fail_on_anomaly=dict(plan.settings).get("on_anomaly") == "fail",
        degrades=dict(plan.settings).get("on_property_violation") == "degrade",
        defers=dict(plan.settings).get("revise_when") == "idle",
        timestamps=all(sink.timestamps for sink in plan.sinks),
        replay=replayed,
        merges=merges,
    )


def _passed_on(plan: Plan, facts: Facts) -> Iterator[tuple[str, str]]:
    """Spark's settings, by name. Where nothing is known about the order of ends, Parquet must not
    skip what its statistics say about them either.
    """
    given = {name: value for name, value in plan.settings if name not in OWN_SETTINGS}
    if facts.execution == "direct":
        given.setdefault(_WHOLE_FILES, "false")
    yield from sorted(given.items())
