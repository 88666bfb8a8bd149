"""The same seed gives the same rows, whatever the number of rows and the sizes of the files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from benchmarks.generators import network, quotes
from benchmarks.generators.files import regroup, write_csv


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
