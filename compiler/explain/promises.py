"""The stream properties of a step's output, for people."""

from __future__ import annotations

from ..analyse.merge_variant import merge_variant
from ..analyse.stream_properties import Properties
from ..physical import Step
from ..physical.lengths import length_shown
from ..plan.expressions import readable_name


def promises(step: Step, timestamps: bool) -> str:
    """Order, what is told later, key, and the way to merge copies with the property that keeps it
    from the next cheaper one; empty between operators.
    """
    if step.properties is None:
        return ""
    found = step.properties
    parts = [_order(found, timestamps)]
    parts += ["insert only"] if found.insert_only else []
    parts += ["ends told later"] if found.adjusted else []
    parts += ["corrected by late rows"] if found.corrected else []
    parts.append(_key(step, found))
    return f"{'; '.join(parts)}; {_merged(step, found)}"


def _merged(step: Step, found: Properties) -> str:
    variant = merge_variant({step.id: found})
    if not variant.cheaper:
        return f"merged by {variant.name}"
    name, lacks = variant.cheaper[-1]
    return f"merged by {variant.name} (not {name}: {', '.join(lacks)})"


def _order(found: Properties, timestamps: bool) -> str:
    if found.strict:
        return "strictly in order"
    if found.in_order:
        return "in order" if found.loose else "in order, ties too"
    if found.disorder is None:
        return "in no order"
    return f"in order within {length_shown(found.disorder, timestamps)}"


def _key(step: Step, found: Properties) -> str:
    if step.key == ():
        return "one row at a time"
    if step.key is not None:
        return f"key ({', '.join(readable_name(name) for name in step.key)})"
    return "equal rows may start together" if found.repeated else "key (row, start)"
