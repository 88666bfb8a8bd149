"""Merges of elements that are written as elements again: what is told is what the reference tells,
epoch by epoch, by each policy (LMERGE IV, V-A); and it comes to the logical stream.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import pyarrow.dataset as ds
import pytest

from ..harness.engine import Run
from ..harness.read import read_elements
from ..oracle.merge.base import Merge
from ..oracle.merge.elements import INFINITY, Adjust, Element, Insert, Stable
from ..oracle.merge.policies import (
    CHATTY,
    CONSERVATIVE,
    EAGER,
    FOLLOW_LEADER,
    HALF_FROZEN,
    Policy,
    fraction,
)
from ..oracle.merge.r3 import R3
from ..oracle.merge.r4 import R4
from ..oracle.merge.reconstitution import delta
from ..runtime.merging import Turn, expected_of, joins_late, net
from .copies import CopiesCase, elements_case
from .feeding import Feed, Restart, Values

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLICIES: Final[Mapping[str, Policy]] = {
    "EAGER": EAGER,
    "CHATTY": CHATTY,
    "HALF FROZEN": HALF_FROZEN,
    "CONSERVATIVE": CONSERVATIVE,
    "FOLLOW LEADER": FOLLOW_LEADER,
    "FRACTION 0.5": fraction(0.5),
}
"""Each merges the same streams, in one program."""
PLAYED: Final = {
    "R3": ("EAGER", "HALF FROZEN", "CONSERVATIVE"),
    "R4": ("EAGER", "CHATTY", "FRACTION 0.5"),
}
"""`REFLOW_MERGES=all` plays all."""
NESTED: Final = "n"
NAMES: Final = ("a", "b", "c")


def text_of(case: CopiesCase, policies: Sequence[str]) -> str:
    """The streams of a case merged by each policy, and the first of the merges with a stream."""
    declared = [*case.declarations[:-1]]
    for number, policy in enumerate(policies):
        declared.append(f"CREATE STREAM m{number} MERGE OF a, b, c POLICY {policy};")
    declared.append(f"CREATE STREAM {NESTED} MERGE OF m0, a;")
    merged = [NESTED, *(f"m{number}" for number in range(len(policies)))]
    declared += [
        f"CREATE QUERY of_{name} AS SELECT k, v FROM {name}"
        f" INTO PARQUET '{{dir}}/out/{name}' AS ELEMENTS;"
        for name in merged
    ]
    return "\n".join(declared)


def elements_of(rows: Iterable[Values]) -> list[Element]:
    """Rows of a stream of elements, or of a sink, as the reference has them."""
    found: list[Element] = []
    for row in rows:
        key, vs, ve = (row["k"], row["v"]), row["vs"], _end(row["ve"])
        match row["kind"]:
            case "insert":
                found.append(Insert(key, vs, ve))
            case "adjust":
                found.append(Adjust(key, vs, _end(row["old_ve"]), ve))
            case "stable":
                found.append(Stable(vs))
    return found


def _end(value: Any) -> Any:
    return INFINITY if value is None else value


def told(run: Run, name: str, epoch: int) -> list[Element]:
    """What the sink of a merge has told in an epoch, but for stables."""
    folder = run.directory / "out" / name / f"epoch={epoch}"
    if not folder.exists():
        return []
    rows = ds.dataset(folder, format="parquet").to_table().to_pylist()
    return [each for each in elements_of(rows) if not isinstance(each, Stable)]


def expected(reference: Merge, rows: Mapping[str, Sequence[Values]]) -> list[Element]:
    """What the reference tells in an epoch, of which each input's elements are net."""
    brings = {name: elements_of(rows.get(name, ())) for name in NAMES}
    sent = expected_of(reference, Turn(brings), in_order=False)
    return [each for each in sent if not isinstance(each, Stable)]


def faults(run: Run, case: CopiesCase, references: Mapping[str, Merge]) -> Iterator[str]:
    """Where a merge tells something else than its reference."""
    for step in case.steps:
        if isinstance(step, Restart):
            run.restart()
        if not isinstance(step, Feed):
            continue
        epoch = run.epoch(step.rows, step.partitions).epoch
        for name, reference in references.items():
            wanted, found = expected(reference, step.rows), told(run, name, epoch)
            if delta(found) != delta(wanted):
                yield f"{name} ({reference.policy}) in {epoch}: {found}, not {net(wanted)}"


@pytest.mark.spark
@pytest.mark.parametrize("variant", ["R3", "R4"])
def test_a_merge_tells_what_its_reference_tells(
    spark: SparkSession, tmp_path: Path, variant: Literal["R3", "R4"]
) -> None:
    # Those of CONSERVATIVE: what never ends is never certain there.
    case = elements_case(2, variant, "CONSERVATIVE", [])
    of = R3 if variant == "R3" else R4
    names = list(POLICIES) if os.environ.get("REFLOW_MERGES") == "all" else PLAYED[variant]
    references = {f"m{n}": of(NAMES, POLICIES[policy]) for n, policy in enumerate(names)}
    for reference in references.values():
        joins_late(reference)
    run = Run(spark, text_of(case, names), tmp_path)
    assert list(faults(run, case, references)) == []
    assert run.dead_letters == 0
    (rows,) = [known["m"] for known in case.known]
    events = Counter(delta(elements_of(rows)))
    for name in (NESTED, *references):
        assert delta(elements_read(tmp_path / "out" / name)) == events, name


def elements_read(folder: Path) -> list[Element]:
    """All that a sink has told; read_elements would raise where it may not have been."""
    assert read_elements(folder)
    epochs = sorted(folder.glob("epoch=*"), key=lambda path: int(path.name.split("=")[1]))
    rows = [row for epoch in epochs for row in ds.dataset(epoch).to_table().to_pylist()]
    return [each for each in elements_of(rows) if not isinstance(each, Stable)]
