"""UPA's Queries 1 to 5 (Golab and Özsu, SIGMOD 2005, section 6) over real logs of networks.

Nobody speaks ftp or telnet in these logs: tcp and udp stand for them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from ..harness.engine import Run
from ..oracle.evaluate import Evaluator
from ..oracle.query import Branch, Query, View, Windowed
from ..oracle.windows import Range
from ..properties.case import Case, CaseQuery
from ..properties.feeding import Drain, Feed
from ..properties.play import faults, play, report
from ..properties.scene import Scene, Stream
from ..properties.texts import Column
from . import flows
from .material import needs_material

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = needs_material

EPOCHS: Final = 3
SECONDS: Final = 2
LINKS: Final = {
    "link1": "link = 1",
    "link2": "link = 2",
    "udp2": "link = 2 AND protocol = 'udp'",
    "tcp2": "link = 2 AND protocol = 'tcp'",
}
VIEWS: Final = tuple(
    f"CREATE VIEW {name} AS SELECT * FROM flows WHERE {condition};"
    for name, condition in LINKS.items()
)
# Windows stand in the texts as `{link}`. The fifth has three links: two are parts of the second.
QUERIES: Final = {
    "query1": (
        "SELECT a.src, a.nbytes AS nbytes1, b.nbytes AS nbytes2 FROM {link1} AS a, {link2} AS b"
        " WHERE a.src = b.src AND a.protocol = 'udp' AND b.protocol = 'udp'",
        "text int int",
    ),
    "query2": ("SELECT DISTINCT src FROM {link1} AS a", "text"),
    "query3": ("SELECT src FROM {link1} AS a EXCEPT ALL SELECT src FROM {link2} AS b", "text"),
    "query4": (
        "SELECT a.src FROM (SELECT DISTINCT src FROM {link1} AS x) AS a"
        " JOIN (SELECT DISTINCT src FROM {link2} AS y) AS b ON a.src = b.src",
        "text",
    ),
    "query5": (
        "SELECT a.src, c.dst FROM {link1} AS a JOIN {tcp2} AS c ON a.src = c.src"
        " WHERE NOT EXISTS (SELECT 1 FROM {udp2} AS b WHERE b.src = a.src)",
        "text text",
    ),
}


def query(name: str) -> CaseQuery:
    text, kinds = QUERIES[name]
    used = [link for link in LINKS if f"{{{link}}}" in text]
    cql = text.format(**{link: f"{link} [RANGE {SECONDS} SECONDS]" for link in used})
    columns = tuple(Column(f"c{i}", kind) for i, kind in enumerate(kinds.split(), start=1))
    inputs = {link: Windowed(view(link), Range(SECONDS * flows.SECOND)) for link in used}
    sql = text.format(**{link: link for link in used})
    return CaseQuery(name, cql, Query(sql, inputs), columns, "changes")


def view(link: str) -> View:
    return View((Branch.of("flows", "src, dst, protocol, nbytes", LINKS[link]),))


@cache
def case(folder: str) -> Case:
    """All queries over a folder's logs, cut into epochs, and a drain."""
    rows = flows.flows(folder)
    within = -(-flows.lateness(rows) // flows.SECOND)
    scene = Scene(True, (Stream("flows", flows.COLUMNS, within),), (), ())
    size = -(-len(rows) // EPOCHS)
    feeds = [Feed({"flows": rows[at : at + size]}) for at in range(0, len(rows), size)]
    queries = tuple(query(name) for name in QUERIES)
    declarations = (*scene.declarations(), *VIEWS)
    return Case(0, scene, queries, (*feeds, Drain()), declarations=declarations)


@pytest.mark.parametrize("folder", flows.LOGS)
def test_the_logs_are_read_as_flows(folder: str) -> None:
    rows = flows.flows(folder)
    assert len(rows) == flows.ROWS * len(flows.LOGS[folder])
    assert min(row["ts"] for row in rows) == flows.START
    assert flows.lateness(rows) > 10 * flows.SECOND
    first = {
        "zeek": ("192.168.33.10", "54.245.228.191", "tcp", 601),
        "netflow": ("10.8.0.69", "8.8.8.8", "udp", 63),
    }
    assert tuple(rows[0][name] for name in ("src", "dst", "protocol", "nbytes")) == first[folder]


@pytest.mark.parametrize("folder", flows.LOGS)
def test_every_query_has_rows_that_come_and_go(folder: str) -> None:
    oracle = Evaluator(case(folder).history())
    for asked in case(folder).queries:
        changes = oracle.changes(asked.oracle)
        assert sum(len(at) for at in changes.values()) > 20, asked.name


@pytest.mark.spark
@pytest.mark.parametrize("folder", flows.LOGS)
def test_the_answers_are_the_oracles(spark: SparkSession, tmp_path: Path, folder: str) -> None:
    played = case(folder)
    run = Run(spark, played.text(), tmp_path)
    found = list(faults(played, run, play(played, run)))
    assert not found, report(played, found)
    assert run.dead_letters == 0
