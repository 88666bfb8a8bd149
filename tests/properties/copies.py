"""Drawn physical copies of one logical stream, as restricted as each algorithm of LMERGE wants
them: rows, elements, and answers of queries over copies.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..oracle.history import History, StreamSchema
from ..oracle.merge.elements import INFINITY, Adjust, Element, Insert, Stable
from ..oracle.merge.presentations import Event, logical, presentation
from ..oracle.query import Query, Windowed
from ..oracle.windows import Range, Unbounded
from .case import Case, CaseQuery, Sink
from .draw import Draw
from .elements import ELEMENTS
from .feeding import Drain, Feed, Restart, Step, Until, Values
from .scene import SECOND, Scene, Stream
from .texts import Column

RowKind = Literal["R0", "R1", "R2", "R2 duplicates", "R3", "R4", "cleansed"]
ROWS: tuple[RowKind, ...] = ("R0", "R1", "R2", "R2 duplicates", "R3", "R4", "cleansed")
_WITHIN = 4
_END = 100
"""The last stable of copies of elements: behind all that they tell."""


@dataclass(frozen=True)
class CopiesCase(Case):
    """A case whose streams are copies of `m`: what the oracle knows of it after each feed."""

    known: tuple[Mapping[str, Sequence[Values]], ...] = ()
    schemas: Mapping[str, StreamSchema] = field(default_factory=dict)

    def history(self) -> History:
        history = History(self.schemas)
        for epoch, arrived in enumerate(self.known, start=1):
            for name, rows in arrived.items():
                history.arrive(epoch, name, rows)
        return history


# --- rows ---


def rows_case(seed: int, kind: RowKind, queries: Sequence[tuple[str, Sink]]) -> CopiesCase:
    """Copies of rows; odd seeds count in ticks. After each feed the oracle knows what any copy has
    brought: that is what EAGER gives out.
    """
    draw = Draw(seed)
    scene = copies_scene(timestamps=seed % 2 == 0)
    rows = list(drawn_rows(draw, scene, kind))
    names = ["a", "b", "c"][: draw.number(2, 3)]
    loose = {"a": False, "b": kind == "cleansed", "c": False}
    copies = {name: drawn_copy(draw, scene, kind, rows, loose[name]) for name in names}
    for name in names[1:]:
        if draw.chance(0.4):
            copies[name] = copies[name][: draw.number(0, len(rows))]
    copies["s"] = _side(draw, rows)
    feeds = list(_cut(draw, copies, 4))
    held = frozenset({"b"}) if kind == "cleansed" else frozenset[str]()
    order = scene.unit * _WITHIN
    known = tuple(_known(feeds, names, held, order))
    return CopiesCase(
        seed,
        scene,
        tuple(
            copies_query(f"q{i}", text, scene, sink) for i, (text, sink) in enumerate(queries, 1)
        ),
        tuple(_steps(draw, scene, feeds)),
        "flat",
        tuple(declared_copies(draw, scene, kind, names)),
        known,
        _schemas(scene),
    )


def copies_scene(timestamps: bool) -> Scene:
    kind = "TIMESTAMP" if timestamps else "BIGINT"
    columns = (("ts", kind), ("k", "STRING"), ("v", "INT"))
    return Scene(timestamps, (Stream("m", columns, 0), Stream("s", columns, 0)), (), ())


def _schemas(scene: Scene) -> dict[str, StreamSchema]:
    return scene.stream_schemas()


def drawn_rows(draw: Draw, scene: Scene, kind: RowKind) -> Iterator[Values]:
    at = _start(scene)
    seen: set[tuple[Any, ...]] = set()
    for _ in range(draw.number(20, 30)):
        step = draw.weighted([(3, 1), (3, 2), (1, 7)])
        at += (step if kind == "R0" else draw.one([0, 0, step])) * scene.unit
        row = {"ts": at, "k": draw.one(["a", "a", "b", None]), "v": draw.number(0, 5)}
        if kind in ("R2", "R3") and tuple(row.values()) in seen:
            continue
        seen.add(tuple(row.values()))
        yield row
        if kind in ("R1", "R2 duplicates", "R4", "cleansed") and draw.chance(0.15):
            yield dict(row)


def _start(scene: Scene) -> int:
    return 1_767_571_200 * SECOND if scene.timestamps else 100


def drawn_copy(
    draw: Draw, scene: Scene, kind: RowKind, rows: Sequence[Values], loose: bool
) -> list[Values]:
    """The rows as one copy brings them: in order, ties too or not, or in bounded disorder."""
    if kind in ("R0", "R1"):
        return list(rows)
    slack = scene.unit * _WITHIN if kind in ("R3", "R4") or loose else 0.5
    return sorted(rows, key=lambda row: row["ts"] + draw.random.uniform(0, slack))


def _side(draw: Draw, rows: Sequence[Values]) -> list[Values]:
    """Another stream, in order, of about the same time."""
    chosen = [row for row in rows if draw.chance(0.5)]
    return [row | {"v": draw.number(0, 5)} for row in chosen]


def _cut(
    draw: Draw, copies: Mapping[str, Sequence[Values]], count: int
) -> Iterator[dict[str, Sequence[Values]]]:
    """The arrivals of each copy in so many epochs, cut at places of its own."""
    cuts = {
        name: [0, *sorted(draw.number(0, len(rows)) for _ in range(count - 1)), len(rows)]
        for name, rows in copies.items()
    }
    for number in range(count):
        parts = {
            name: rows[cuts[name][number] : cuts[name][number + 1]] for name, rows in copies.items()
        }
        yield {name: part for name, part in parts.items() if part}


def _known(
    feeds: Iterable[Mapping[str, Sequence[Values]]],
    names: Sequence[str],
    held: frozenset[str],
    within: int,
) -> Iterator[dict[str, list[Values]]]:
    """What is new to all copies together in each epoch; a cleansed one holds back what is not
    complete.
    """
    brought: dict[str, list[Values]] = {name: [] for name in names}
    so_far: Counter[tuple[Any, ...]] = Counter()
    for feed in feeds:
        together: Counter[tuple[Any, ...]] = Counter()
        for name in names:
            brought[name] += feed.get(name, [])
            given = [
                row
                for row in brought[name]
                if name not in held or _is_complete(row, brought[name], within)
            ]
            together |= Counter(tuple(row.values()) for row in given)
        new = (together - so_far).elements()
        so_far |= together
        columns = ("ts", "k", "v")
        listed = [dict(zip(columns, row, strict=True)) for row in new]
        yield {"m": sorted(listed, key=lambda row: row["ts"]), "s": list(feed.get("s", []))}


def _is_complete(row: Values, rows: Sequence[Values], within: int) -> bool:
    at: int = row["ts"]
    return at < max(each["ts"] for each in rows) - within


def declared_copies(draw: Draw, scene: Scene, kind: RowKind, names: Sequence[str]) -> Iterator[str]:
    order = "TIMESTAMP" if scene.timestamps else "BIGINT"
    within = f" WITHIN {scene.length(_WITHIN)}"
    promise = {"R0": "", "R1": ", TIES IN ORDER", "R2": ", DISTINCT ROWS", "R3": ", DISTINCT ROWS"}
    for name in [*names, "s"]:
        late = kind in ("R3", "R4") or (kind == "cleansed" and name == "b")
        by = "ORDER BY ts" + (" STRICT" if kind == "R0" else within if late else "")
        promised = promise.get(kind, "")
        if name == "s":
            by, promised = "ORDER BY ts", ""
        yield (
            f"CREATE STREAM {name} (ts {order}, k STRING, v INT, {by}{promised})"
            f" FROM JSON '{{dir}}/in/{name}';"
        )
    inputs = ["CLEANSE (b)" if kind == "cleansed" and name == "b" else name for name in names]
    lag = draw.one(["", f" STABLE LAG {scene.length(draw.number(1, 3))}"])
    feedback = draw.one(["", " FEEDBACK"])
    yield f"CREATE STREAM m MERGE OF {', '.join(inputs)}{lag}{feedback};"


def _steps(
    draw: Draw, scene: Scene, feeds: Sequence[Mapping[str, Sequence[Values]]]
) -> Iterator[Step]:
    for number, rows in enumerate(feeds):
        if number and draw.chance(0.4):
            yield Restart()
        yield Feed(rows, draw.one([1, 3]))
    last = max(row["ts"] for rows in feeds for part in rows.values() for row in part)
    yield Until(last + draw.number(1, 20) * scene.unit)


def copies_query(name: str, text: str, scene: Scene, sink: Sink) -> CaseQuery:
    """`m {w}` and `s {w}` are windows, `m` the whole stream."""
    window = f"[RANGE {scene.length(5)}]"
    sql, inputs = text, {}
    for stream in ("m", "s"):
        if f"{stream} {{w}}" in text:
            sql = sql.replace(f"{stream} {{w}}", f"{stream}_w")
            inputs[f"{stream}_w"] = Windowed(stream, Range(5 * scene.unit))
        elif f" {stream}" in text:
            inputs[stream] = Windowed(stream, Unbounded())
    listed = sql.removeprefix("SELECT ").removeprefix("DISTINCT ").partition(" FROM")[0]
    kinds = ["text" if "k" in column else "int" for column in listed.split(", ")]
    columns = tuple(Column(f"c{number}", each) for number, each in enumerate(kinds))
    return CaseQuery(name, text.replace("{w}", window), Query(sql, inputs), columns, sink)


# --- answers ---


def answers_case(
    seed: int, view: str, queries: Sequence[tuple[str, str]], slide: int | None = None
) -> CopiesCase:
    """Queries over a merge of a view's answers over copies in disorder. `view`: over the window
    `{x}`, which moves by `slide`; `queries`: over the merge `m`, and what they mean over the stream
    itself (`x {w}`). A last row, which comes to one copy at least, completes all that is before it.
    """
    draw = Draw(seed)
    scene = copies_scene(timestamps=seed % 2 == 0)
    rows = list(drawn_rows(draw, scene, "R4"))
    last = {"ts": rows[-1]["ts"] + 40 * scene.unit, "k": "z", "v": 0}
    copies = {name: [*drawn_copy(draw, scene, "R4", rows, False), last] for name in "abc"}
    for name in "bc":
        if draw.chance(0.5):
            copies[name] = copies[name][: draw.number(0, len(rows))]
    feeds = list(_cut(draw, copies, 4))
    by = "" if slide is None else f" SLIDE {scene.length(slide)}"
    window = f"[RANGE {scene.length(5)}{by}]"
    order = "TIMESTAMP" if scene.timestamps else "BIGINT"
    declared = [
        f"CREATE STREAM {name} (ts {order}, k STRING, v INT, ORDER BY ts WITHIN"
        f" {scene.length(_WITHIN)}) FROM JSON '{{dir}}/in/{name}';"
        for name in copies
    ]
    declared += [
        f"CREATE VIEW v{name} AS {view.replace('{x}', f'{name} {window}')};" for name in copies
    ]
    declared.append(f"CREATE STREAM m MERGE OF {', '.join(f'v{name}' for name in copies)};")
    return CopiesCase(
        seed,
        scene,
        tuple(_over(f"q{i}", *each, scene, slide) for i, each in enumerate(queries, 1)),
        tuple(step for step in _steps(draw, scene, feeds) if not isinstance(step, Until)),
        "flat",
        tuple(declared),
        ({"m": sorted([*rows, last], key=lambda row: row["ts"])},),
        _schemas(scene),
    )


def _over(name: str, text: str, said: str, scene: Scene, slide: int | None) -> CaseQuery:
    meant = copies_query(name, said.replace("x {w}", "m {w}"), scene, "changes")
    window = Range(5 * scene.unit, None if slide is None else slide * scene.unit)
    oracle = replace(meant.oracle, inputs={"m_w": Windowed("m", window)})
    return CaseQuery(name, text, oracle, meant.columns, "changes")


# --- elements ---


def elements_case(
    seed: int, variant: Literal["R3", "R4"], policy: str, queries: Sequence[str]
) -> CopiesCase:
    """Copies of elements, in ticks. Events of CONSERVATIVE have ends: what never ends is never
    certain there.
    """
    draw = Draw(seed)
    scene = copies_scene(timestamps=False)
    events = elements_events(draw, variant, policy)
    copies = {name: told_elements(draw, variant, events) for name in "abc"}
    for name in "bc":
        if draw.chance(0.5):
            copies[name] = copies[name][: draw.number(0, len(copies[name]))]
    feeds = list(_cut(draw, copies, 4))
    promise = ", DISTINCT ROWS" if variant == "R3" else ""
    steps = (*_fed(draw, feeds), Drain())
    return of_elements(seed, scene, promise, policy, queries, steps, events)


def elements_events(draw: Draw, variant: Literal["R3", "R4"], policy: str) -> list[Event]:
    """The events of a logical stream, of three names each."""
    events: list[Event] = []
    for number in range(3):
        events += [
            (f"{row}{number}", vs, ve if policy != "CONSERVATIVE" else min(ve, 40))
            for row, vs, ve in logical(draw.random, variant)
        ]
    return events


def of_elements(
    seed: int,
    scene: Scene,
    promise: str,
    policy: str,
    queries: Sequence[str],
    steps: Sequence[Step],
    events: Sequence[Event],
) -> CopiesCase:
    """Three copies of elements, and what they come to."""
    declared = [
        f"CREATE STREAM {name} (k STRING, v BIGINT, kind STRING, vs BIGINT, ve BIGINT,"
        f" old_ve BIGINT, ELEMENTS (kind, vs, ve, old_ve){promise}) FROM JSON '{{dir}}/in/{name}';"
        for name in "abc"
    ]
    declared.append(f"CREATE STREAM m MERGE OF a, b, c POLICY {policy};")
    types = {"k": "VARCHAR", "v": "BIGINT", "kind": "VARCHAR"}
    types |= dict.fromkeys(ELEMENTS[1:], "BIGINT")
    listed = [element_row(Insert(*event)) for event in events]
    return CopiesCase(
        seed,
        scene,
        tuple(copies_query(f"q{i}", text, scene, "changes") for i, text in enumerate(queries, 1)),
        tuple(steps),
        "flat",
        tuple(declared),
        ({"m": sorted(listed, key=lambda row: row["vs"])},),
        {"m": StreamSchema("m", types, "vs", False, ELEMENTS)},
    )


def _fed(draw: Draw, feeds: Sequence[Mapping[str, Sequence[Values]]]) -> Iterator[Step]:
    for number, rows in enumerate(feeds):
        if number and draw.chance(0.4):
            yield Restart()
        yield Feed(rows, draw.one([1, 3]))


def told_elements(
    draw: Draw, variant: Literal["R3", "R4"], events: Sequence[Event]
) -> list[Values]:
    return [element_row(each) for each in presentation(draw.random, variant, events)]


def element_row(element: Element) -> Values:
    match element:
        case Insert(row, vs, ve):
            return _row("insert", vs, ve, None, row)
        case Adjust(row, vs, old, ve):
            return _row("adjust", vs, ve, old, row)
        case Stable(t):
            return _row("stable", _END if t == INFINITY else t, None, None, None)


def _row(kind: str, vs: float, ve: float | None, old: float | None, row: Any) -> Values:
    instants = [None if t is None or math.isinf(t) else int(t) for t in (vs, ve, old)]
    value = None if row is None else ord(row[0]) - ord("A")
    key = None if row is None else row[0]
    copy = None if row is None else int(row[1:] or 9)
    return {
        "k": key,
        "v": None if value is None or copy is None else 10 * copy + value,
        "kind": kind,
        **dict(zip(ELEMENTS[1:], instants, strict=True)),
    }
