"""EXPLAIN as JSON, for programs. docs/explain.md documents the fields; they are only ever added
to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..analyse.lineage import Lineage
from ..analyse.merge_variant import merge_variant
from ..physical import Estimate, Known, PhysicalPlan, Step, StreamSource
from ..physical.calls import Deliver
from ..physical.program import MergeSource
from ..rewrite import Applied, Decision
from . import estimates
from .fragments import fragments

_ORDER = ("MON", "WKS", "WK", "STR")


def as_json(
    plan: PhysicalPlan,
    rewrites: Sequence[Applied],
    warnings: Sequence[str],
    decisions: Sequence[Decision] = (),
) -> str:
    lineages = {query.name: dict(query.lineage) for query in plan.queries}
    sinks = [
        {**_sink(step, step.call), **_lineage(lineages[step.call.query])}
        for step in plan.steps
        if isinstance(step.call, Deliver)
    ]
    page: dict[str, Any] = {
        "query": plan.queries[0].name if len(plan.queries) == 1 else plan.name,
        "pattern": max((step.pattern for step in plan.steps if _sinks(step)), key=_ORDER.index),
        "nodes": [_node(step) for step in plan.steps],
        "edges": [edge for step in plan.steps for edge in _edges(step)],
        "rewrites": [_rewrite(applied) for applied in rewrites],
        "sinks": sinks,
        "streams": [_stream(plan, stream) for stream in plan.streams],
        "plain": {"value": plan.plain, "reason": plan.plain_reason},
        "execution": plan.execution,
        "fingerprint": plan.fingerprint,
        "warnings": list(warnings),
        **(
            {"merges": [_merge(merge, plan.degrades) for merge in plan.merges]}
            if plan.merges
            else {}
        ),
        "cost": _cost(plan),
        "statistics": [_figure(known) for known in plan.figures],
        "choices": [_choice(decision) for decision in decisions],
        **({"estimates": estimates.fields(plan)} if estimates.fields(plan) else {}),
    }
    return json.dumps(page, indent=2, ensure_ascii=False) + "\n"


def _node(step: Step) -> dict[str, Any]:
    return {
        "id": step.id,
        "op": step.op,
        "pattern": step.pattern,
        "state": step.state,
        "reason": step.reason,
        "detail": step.detail,
        "form": step.form,
        "ends": step.ends,
        "bound": step.bound,
        "key": None if step.key is None else list(step.key),
        "properties": _properties(step),
        "differs": list(step.differs),
        **({"section": step.section} if step.section else {}),
    }


def _merge(merge: MergeSource, degrades: bool) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    if merge.promised:
        how = "degrade" if degrades else "stop"
        checked = {"promised": dict(merge.promised), "on_property_violation": how}
    return {
        "name": merge.name,
        "section": merge.section,
        "inputs": {section: list(streams) for section, streams in merge.inputs},
        "lag": merge.lag,
        **checked,
    }


def _properties(step: Step) -> dict[str, Any] | None:
    found = step.properties
    if found is None:
        return None
    variant = merge_variant({step.id: found})
    return {
        "disorder": found.disorder,
        "strict": found.strict,
        "insert_only": found.insert_only,
        "adjusted": found.adjusted,
        "corrected": found.corrected,
        "ties_in_order": not found.loose,
        "distinct": not found.repeated,
        "merge": variant.name,
        "cheaper": {name: "; ".join(lacks) for name, lacks in variant.cheaper},
    }


def _edges(step: Step) -> list[dict[str, str]]:
    pairs = zip(step.inputs, step.taken, strict=True)
    return [{"from": source, "to": step.id, "pattern": taken} for source, taken in pairs]


def _rewrite(applied: Applied) -> dict[str, Any]:
    before, after = fragments(applied)
    return {
        "stage": applied.stage,
        "rule": applied.rule,
        "paper": applied.paper,
        "before": applied.before,
        "after": applied.after,
        "fragment": {"before": list(before), "after": list(after)},
    }


def _sink(step: Step, sink: Deliver) -> dict[str, Any]:
    return {
        "id": step.id,
        "query": sink.query,
        "pattern": step.pattern,
        "format": sink.format,
        "path": sink.path,
        "mode": sink.mode,
        "emit": sink.emit,
        "key": list(sink.key),
        "columns": list(sink.names),
    }


def _lineage(found: Mapping[str, Lineage]) -> dict[str, Any]:
    """Of a query over streams with KEEP: how far their inputs reach."""
    if not found:
        return {}
    return {"lineage": {stream: _spread(each) for stream, each in found.items()}}


def _spread(lineage: Lineage) -> dict[str, Any]:
    """What windows by count add is said only where there are such."""
    by_time = {"reach": lineage.reach, "need": lineage.need, "why_not": lineage.why_not}
    by_count = {"rows": lineage.rows, "of_rows": lineage.of_rows}
    return {**by_time, **{name: rows for name, rows in by_count.items() if rows is not None}}


def _stream(plan: PhysicalPlan, stream: StreamSource) -> dict[str, Any]:
    return {
        "name": stream.name,
        "columns": list(stream.columns),
        "keep": stream.keep,
        "reason": stream.keep_reason,
        **({"layout": "source"} if stream.in_place else {}),
        **({"elements": list(stream.elements)} if stream.elements else {}),
        **_corrected(plan, stream),
    }


def _corrected(plan: PhysicalPlan, stream: StreamSource) -> dict[str, Any]:
    """Of a stream that is corrected: how far behind `complete`, and by which key."""
    if stream.kept is None and not stream.key:
        return {}
    technique = "direct" if plan.replay is None else plan.replay.technique.lower()
    found: dict[str, Any] = {"kept": stream.kept}
    if stream.kept_rows is not None:
        found = {"kept_rows": stream.kept_rows}
    return {"corrected": {**found, "key": list(stream.key), "technique": technique}}


def _sinks(step: Step) -> bool:
    return isinstance(step.call, Deliver)


def _cost(plan: PhysicalPlan) -> dict[str, Any]:
    return {
        "unit": "rows a second" if plan.timestamps else "rows a tick",
        "total": _round(sum(e.work.total for e in plan.estimates)),
        "steps": [_estimate(estimate) for estimate in plan.estimates],
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    work = estimate.work
    return {
        "id": estimate.step,
        "in": _round(estimate.rows_in),
        "out": _round(estimate.rows_out),
        "live": _round(estimate.live),
        "early": _round(estimate.early),
        "cost": _round(work.total),
        "passed": _round(work.passed),
        "inserted": _round(work.insertions),
        "probed": _round(work.probes),
        "deleted": _round(work.deletions),
        "expired": _round(work.expirations),
        "formula": work.formula,
    }


def _figure(known: Known) -> dict[str, Any]:
    return {
        "source": known.source,
        "name": known.name,
        "value": _round(known.figure.value),
        "from": known.figure.origin,
    }


def _choice(decision: Decision) -> dict[str, Any]:
    candidates = [
        {"what": c.what, "cost": _round(c.cost), "chosen": c.chosen} for c in decision.candidates
    ]
    return {
        "rule": decision.rule,
        "paper": decision.paper,
        "operator": decision.operator,
        "candidates": candidates,
    }


def _round(value: float) -> float:
    """Six digits: the rest is noise, and would differ from machine to machine."""
    return float(f"{value:.6g}")
