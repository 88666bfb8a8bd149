"""The same seed gives the same rows, whatever the number of rows and the sizes of the files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from benchmarks.generators import network, physical, quotes
from benchmarks.generators.files import regroup, write_csv

from ..oracle.physical import told


@pytest.mark.parametrize("generate", [network.flows, quotes.quotes])
def test_shorter_runs_are_beginnings_of_longer_ones(generate: object) -> None:
    assert callable(generate)
    short = pa.concat_tables(generate(100_001))
    long = pa.concat_tables(generate(250_000))
    assert (short.num_rows, long.num_rows) == (100_001, 250_000)
    assert long.slice(0, 100_001).equals(short)


@pytest.mark.parametrize("generate", [network.flows, quotes.quotes])
def test_seeds_differ(generate: object) -> None:
    assert callable(generate)
    assert not next(generate(1_000, seed=1)).equals(next(generate(1_000, seed=2)))


def test_proportions_of_the_flows() -> None:
    table = pa.concat_tables(network.flows(200_000))
    for protocol, share in network.PROTOCOLS.items():
        found = pc.sum(pc.equal(table["protocol"], protocol)).as_py() / table.num_rows
        assert found == pytest.approx(share, rel=0.03)
    assert pc.count_distinct(table["src"]).as_py() == network.SOURCES
    assert pc.count_distinct(table["dst"]).as_py() == network.DESTINATIONS
    assert pc.unique(table["link"]).sort().to_pylist() == [1, 2]


def test_every_symbol_has_a_quote_each_second() -> None:
    assert len(set(quotes.symbols())) == quotes.SYMBOLS
    table = pa.concat_tables(quotes.quotes(1_000))
    seconds = table["ts"].cast(pa.timestamp("s"), safe=False)
    pairs = pa.table({"second": seconds, "symbol": table["symbol"]})
    assert pairs.group_by(["second", "symbol"]).aggregate([]).num_rows == 1_000


def test_files_hold_the_rows_in_order(tmp_path: Path) -> None:
    table = pa.table({"x": list(range(10))})
    files = write_csv(tmp_path / "out", [table.slice(0, 3), table.slice(3)], 4)
    assert [path.name for path in files] == ["part-00000.csv", "part-00001.csv", "part-00002.csv"]
    texts = [path.read_text().splitlines()[1:] for path in files]
    assert texts == [["0", "1", "2", "3"], ["4", "5", "6", "7"], ["8", "9"]]
    modified = [path.stat().st_mtime for path in files]
    assert modified == sorted(set(modified))


def test_first_files_may_be_longer() -> None:
    sizes = [table.num_rows for table in regroup([pa.table({"x": list(range(10))})], [4, 3, 2, 2])]
    assert sizes == [4, 3, 2, 1]


def test_regroup_of_nothing() -> None:
    assert list(regroup([], [5])) == []


def test_linked_flows_are_one_a_link_and_unit_and_a_beginning_of_longer_ones() -> None:
    short = pa.concat_tables(network.linked(60_000, sources=50))
    long = pa.concat_tables(network.linked(120_000, sources=50))
    assert long.slice(0, 120_000).equals(short)
    seconds = pc.divide(pc.subtract(short["ts"].cast(pa.int64()), network.START), 1_000_000)
    assert seconds.to_pylist() == [n // 2 for n in range(120_000)]
    assert short["link"].to_pylist() == [1, 2] * 60_000
    assert sorted(pc.unique(short["src"]).to_pylist()) == list(range(50))


@pytest.mark.parametrize("copy", [0, 1])
def test_presentations_tell_the_same_events(copy: int) -> None:
    """Nothing is told behind a stable of their own, and all that is told comes to the events."""
    shape = physical.Shape(events=3_000, active=1_500, stable=50, behind=100)
    tables = list(physical.elements(shape, copy, 500))
    assert [table.num_rows for table in tables[:2]] == [400, 500]
    rows = pa.concat_tables(tables).to_pylist()
    made = told(("kind", "vs", "ve", "old_ve"), rows)
    assert not made.refused
    assert made.stable is not None and made.stable > 3_000
    texts = physical.payloads(np.arange(3_000)).to_pylist()
    ids = {row["payload"]: row["id"] for row in rows}
    assert sorted(event[:3] for event in made.events) == [
        [vs, vs + 1_500, (ids[text], text)] for vs, text in enumerate(texts)
    ]
    kinds = Counter(row["kind"] for row in rows)
    assert kinds["adjust"] == pytest.approx(750, rel=0.15)
    assert kinds["stable"] == -(-(3_000 + kinds["adjust"]) // 50)


def test_presentations_differ_in_what_they_tell_first() -> None:
    one, other = (next(physical.elements(physical.Shape(), copy, 10_000)) for copy in (0, 1))
    assert one["vs"].to_pylist() != sorted(one["vs"].to_pylist())
    assert not one.equals(other)
