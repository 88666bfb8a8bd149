"""LMERGE's algorithms over physical copies of one stream: throughput, state, what is put out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import pyarrow.compute as pc
import pyarrow.dataset as ds

from .generators import physical
from .generators.files import write_parquet
from .generators.physical import Shape
from .support.harness import DATA, figures, fresh, record, run_file

WARM_UP = 3
HEAD = (
    *(
        "experiment",
        "at",
        "merged by",
        "inputs",
        "elements/s",
        "state rows, most",
        "state MB, most",
    ),
    *("inserts + adjusts in", "out", "adjusts out"),
)
ROWS = {
    "R0": "ORDER BY ts STRICT",
    "R1": "ORDER BY ts, TIES IN ORDER",
    "R2": "ORDER BY ts, DISTINCT ROWS",
}
OF_ROWS = (
    "CREATE STREAM {name} (ts BIGINT, id BIGINT, payload STRING, {order})"
    " FROM PARQUET 'data/{folder}' OPTIONS (maxFilesPerTrigger = '1');"
)
OF_ELEMENTS = (
    "CREATE STREAM {name} (id BIGINT, payload STRING, kind STRING, vs BIGINT, ve BIGINT,"
    " old_ve BIGINT, ELEMENTS (kind, vs, ve, old_ve){promise})"
    " FROM PARQUET 'data/{folder}' OPTIONS (maxFilesPerTrigger = '1');"
)
# A filter that nothing fails: behind it each input remembers for itself what it has told.
BESIDE = "CREATE VIEW by_{name} AS SELECT * FROM {name} WHERE id IS NOT NULL;"


@dataclass(frozen=True)
class Setting:
    """One run. `by`: R0 to R4, `R3 each` (an index per input) or `cleansed` (CLEANSE and R1)."""

    shape: Shape
    by: str = "R3"
    inputs: int = 2
    policy: str = "EAGER"

    @property
    def is_of_rows(self) -> bool:
        return self.by in ROWS


@dataclass(frozen=True)
class Measured:
    """Elements a second of all inputs together, behind the warm-up; the most state of any epoch,
    in rows and bytes; inserts and adjusts that came and went.
    """

    speed: float
    rows: int
    state: int
    came: int
    inserts: int
    adjusts: int


def main() -> None:
    """`python -m benchmarks.lmerge [--events 400000] [--parts variants,inputs]`."""
    given = arguments()
    table = [list(HEAD)]
    found: dict[str, dict[tuple[str, str], list[Measured]]] = {}
    try:
        for part in given.parts.split(","):
            found[part] = {}
            for at, setting in PARTS[part](given):
                runs = [start(f"{part}-{at}", setting, given) for _ in range(given.times)]
                found[part][at, setting.by] = runs
                table.append(line(part, at, setting, runs))
    finally:
        # What has been measured is kept when a later run fails or is broken off.
        if len(table) > 1:
            record("lmerge", table, notes(given))
    if given.plots:
        draw(found)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Merges of physical copies of one stream.")
    parser.add_argument("--events", type=int, default=400_000)
    parser.add_argument("--active", type=int, default=10_000)
    parser.add_argument("--epoch", type=int, default=20_000, help="elements of an input")
    parser.add_argument("--inputs", default="2,4,6,8,10")
    parser.add_argument("--times", type=int, default=1, help="runs of each")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--memory", default="6g", help="heap of each process")
    parser.add_argument("--no-plots", dest="plots", action="store_false")
    given = parser.parse_args()
    if given.plots:
        # Needed only at the end, but hours may lie between.
        from .support import plots  # noqa: F401
    return given


def notes(given: argparse.Namespace) -> list[str]:
    """What is common to all lines."""
    usual = Shape()
    return [
        f"{given.events:,} events of an integer and {physical.WIDTH:,} characters,"
        f" {given.active:,} active, one starts at each tick; if not said otherwise"
        f" {usual.disorder:.0%} of the elements come up to {physical.DELAY:,} places late,"
        f" {usual.adjusts:.0%} of the events have a wrong end first, a stable every"
        f" {usual.stable:,} elements; R0 to R2 take rows in order",
        f"epochs of {given.epoch:,} elements an input, read from Parquet; medians of {given.times}"
        f" processes, of each the median of its epochs without the first {WARM_UP}; elements a"
        " second are those of all inputs together",
        "state: rows and bytes of all files of state of an epoch, the largest of a run",
    ]


Part = Iterator[tuple[str, Setting]]


def usual(given: argparse.Namespace) -> Setting:
    return Setting(Shape(given.events, given.active))


def variants(given: argparse.Namespace) -> Part:
    """Each algorithm over two copies."""
    for by in ("R0", "R1", "R2", "R3", "R4"):
        yield "", replace(usual(given), by=by)


def inputs(given: argparse.Namespace) -> Part:
    """R3 with one index for all inputs and with one for each; CLEANSE and R1."""
    for count in map(int, given.inputs.split(",")):
        for by in ("R3", "R3 each", "cleansed"):
            yield f"{count} inputs", replace(usual(given), by=by, inputs=count)


def disorder(given: argparse.Namespace) -> Part:
    """Adjusts by policy over disorder."""
    base = usual(given)
    for part in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5):
        for policy in ("EAGER", "CHATTY"):
            shape = replace(base.shape, disorder=part)
            yield f"{part:.0%} late, {policy}", replace(base, shape=shape, policy=policy)


def stables(given: argparse.Namespace) -> Part:
    """Of so many elements one is a stable."""
    base = usual(given)
    for every in (100, 1_000, 10_000, 100_000):
        shape = replace(base.shape, stable=every)
        yield f"1 stable in {every:,}", replace(base, shape=shape)


def lag(given: argparse.Namespace) -> Part:
    """The second input is behind the first."""
    base = usual(given)
    for behind in (0, 1_000, 2_000, 5_000):
        yield f"{behind:,} ticks behind", replace(base, shape=replace(base.shape, behind=behind))


def policies(given: argparse.Namespace) -> Part:
    """When events are put out."""
    for policy in (
        *("EAGER", "CHATTY", "HALF FROZEN", "CONSERVATIVE", "FOLLOW LEADER"),
        "FRACTION 0.5",
    ):
        yield policy, replace(usual(given), policy=policy)


PARTS: Mapping[str, Callable[[argparse.Namespace], Part]] = {
    "variants": variants,
    "inputs": inputs,
    "disorder": disorder,
    "stables": stables,
    "lag": lag,
    "policies": policies,
}


def start(name: str, setting: Setting, given: argparse.Namespace) -> Measured:
    """One process over the copies."""
    print(name, setting.by, file=sys.stderr, flush=True)
    copies = [prepare(setting, number, given.epoch) for number in range(setting.inputs)]
    folder = fresh(f"lmerge-{name.replace(' ', '-')}-{setting.by.replace(' ', '-')}", DATA)
    file = folder / "query.cql"
    file.write_text(text(setting, copies), encoding="utf-8")
    run = run_file(file, folder, [f"spark.driver.memory={given.memory}"])
    told = [line for line in run.lines if line.progress["numInputRows"]]
    steady = told[WARM_UP:-1] or told
    sent = kinds(folder / "out")
    return Measured(
        median(line.progress["numInputRows"] / line.told for line in steady),
        max(int(line.progress["stateRows"]) for line in told),
        max(int(line.progress["stateBytes"]) for line in told),
        sum(came(DATA / copy) for copy in copies),
        sent.get("insert", 0),
        sent.get("adjust", 0),
    )


def prepare(setting: Setting, number: int, epoch: int) -> str:
    """A copy, written once; its folder below that of all data."""
    shape = replace(setting.shape, behind=setting.shape.behind if number else 0)
    if setting.is_of_rows:
        name = f"lmerge/rows-{shape.events}-{epoch}"
        tables = physical.rows_of(shape, epoch)
    else:
        name = (
            f"lmerge/{shape.events}-{shape.active}-{shape.disorder}-{shape.adjusts}"
            f"-{shape.stable}-{shape.behind}-{epoch}-{number}"
        )
        tables = physical.elements(shape, number, epoch)
    folder = DATA / name
    if not (folder / "_SUCCESS").exists():
        for part, table in enumerate(tables):
            write_parquet(folder, part, table)
        (folder / "_SUCCESS").touch()
    return name


def text(setting: Setting, copies: Sequence[str]) -> str:
    """The program: copies, merged, written as elements."""
    promise = "" if setting.by == "R4" else ", DISTINCT ROWS"
    form = OF_ROWS if setting.is_of_rows else OF_ELEMENTS
    names = [f"c{number}" for number in range(len(copies))]
    lines = [
        form.format(name=name, folder=folder, promise=promise, order=ROWS.get(setting.by, ""))
        for name, folder in zip(names, copies, strict=True)
    ]
    if setting.by == "R3 each":
        lines += [BESIDE.format(name=name) for name in names]
        names = [f"by_{name}" for name in names]
    if setting.by == "cleansed":
        names = [f"CLEANSE ({name})" for name in names]
    policy = "" if setting.policy == "EAGER" else f" POLICY {setting.policy}"
    lines.append(f"CREATE STREAM merged MERGE OF {', '.join(names)}{policy};")
    lines.append("CREATE QUERY q AS SELECT id, payload FROM merged INTO PARQUET 'out' AS ELEMENTS;")
    return "\n".join(lines)


def kinds(folder: Path) -> dict[str, int]:
    """How many elements of each kind files have."""
    column = ds.dataset(folder, format="parquet").to_table(columns=["kind"])["kind"]
    return {str(each["values"]): int(each["counts"].as_py()) for each in pc.value_counts(column)}


def came(folder: Path) -> int:
    """Inserts and adjusts of a copy; of rows each is an insert."""
    files = ds.dataset(folder, format="parquet")
    if "kind" not in files.schema.names:
        return int(files.count_rows())
    return int(files.count_rows(filter=ds.field("kind") != "stable"))


def line(part: str, at: str, setting: Setting, runs: Sequence[Measured]) -> list[str]:
    """A line of the table."""
    last = runs[-1]
    return [
        *(part, at, setting.by, str(setting.inputs)),
        figures([run.speed for run in runs]),
        f"{max(run.rows for run in runs):,}",
        f"{max(run.state for run in runs) / 1e6:.1f}",
        *(f"{last.came:,}", f"{last.inserts + last.adjusts:,}", f"{last.adjusts:,}"),
    ]


def draw(found: Mapping[str, Mapping[tuple[str, str], Sequence[Measured]]]) -> None:
    """A picture of each part that has more than one point on its axis."""
    from .support import plots

    for part, runs in found.items():
        labels = list(dict.fromkeys(at for at, _ in runs))
        if len(labels) < 2:
            continue
        panels: dict[str, dict[str, dict[int, float]]] = {"elements/s": {}, "state rows": {}}
        for (at, by), measured in runs.items():
            place = labels.index(at)
            panels["elements/s"].setdefault(by, {})[place] = median(r.speed for r in measured)
            panels["state rows"].setdefault(by, {})[place] = median(r.rows for r in measured)
        plots.named(f"lmerge-{part}", part, labels, panels)


if __name__ == "__main__":
    main()
