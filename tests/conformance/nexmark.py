"""Nexmark's queries in Reflow's CQL, its data, and the rows that RisingWave gives for them.

RisingWave's HOP and TUMBLE take windows `[a, b)`, Reflow's are `(a, b]`: a row's order value is its
time plus a microsecond. A windowed query of RisingWave shows all windows side by side; here they
are the answers at the windows' ends.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ..oracle.multiplicity import Changes, microseconds
from .material import FOLDER

NEXMARK = FOLDER / "nexmark"

COLUMNS = {
    "person": "id BIGINT, name STRING, email_address STRING, credit_card STRING, city STRING,"
    " state STRING, date_time TIMESTAMP, extra STRING",
    "auction": "id BIGINT, item_name STRING, description STRING, initial_bid BIGINT,"
    " reserve BIGINT, date_time TIMESTAMP, expires TIMESTAMP, seller BIGINT, category BIGINT,"
    " extra STRING",
    "bid": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,"
    " date_time TIMESTAMP, extra STRING",
}

NOT_IN_THE_LANGUAGE = {
    "q6_group_top1": "ROW_NUMBER and AVG with OVER",
    "q9": "ROW_NUMBER with OVER",
    "q19": "ROW_NUMBER with OVER, for ten rows a group",
}
"""Queries that cannot be said in CQL, and what they need."""

WINDOWS = {"q5": 2, "q7": 10, "q8": 10}
"""Queries of which the answers at the ends of windows count: the seconds between the ends."""

_RANKS = ", ".join(
    f"{function} FILTER (WHERE {condition}) AS {name}{i}"
    for function, name in (
        ("COUNT(*)", "bids"),
        ("COUNT(DISTINCT bidder)", "bidders"),
        ("COUNT(DISTINCT auction)", "auctions"),
    )
    for i, condition in enumerate(
        ("TRUE", "price < 10000", "price >= 10000 AND price < 1000000", "price >= 1000000")
    )
)
_DAY = "date_format(date_time, 'yyyy-MM-dd')"

QUERIES: Mapping[str, str] = {
    "q0": "SELECT auction, bidder, price, CAST(date_time AS STRING) AS t FROM bid",
    "q1": "SELECT auction, bidder, 0.908 * price AS price, CAST(date_time AS STRING) AS t FROM bid",
    "q2": "SELECT auction, price FROM bid WHERE auction = 1007 OR auction = 1020 OR auction = 2001"
    " OR auction = 2019 OR auction = 2087",
    "q3": "SELECT p.name, p.city, p.state, a.id FROM auction AS a INNER JOIN person AS p"
    " ON a.seller = p.id"
    " WHERE a.category = 10 AND (p.state = 'or' OR p.state = 'id' OR p.state = 'ca')",
    "q4": "SELECT q.category, AVG(q.final) AS mean FROM (SELECT MAX(b.price) AS final, a.category"
    " FROM auction AS a, bid AS b"
    " WHERE a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires"
    " GROUP BY a.id, a.category) AS q GROUP BY q.category",
    "q5": "SELECT a.auction, a.num FROM (SELECT auction, COUNT(*) AS num"
    " FROM bid [RANGE 10 SECONDS SLIDE 2 SECONDS] GROUP BY auction) AS a"
    " JOIN (SELECT MAX(num) AS maxn FROM (SELECT auction, COUNT(*) AS num"
    " FROM bid [RANGE 10 SECONDS SLIDE 2 SECONDS] GROUP BY auction) AS c) AS m ON a.num >= m.maxn",
    "q7": "SELECT b.auction, b.price, b.bidder, CAST(b.date_time AS STRING) AS t"
    " FROM bid [TUMBLE 10 SECONDS] AS b"
    " JOIN (SELECT MAX(price) AS maxprice FROM bid [TUMBLE 10 SECONDS]) AS m"
    " ON b.price = m.maxprice",
    "q8": "SELECT p.id, p.name, '2015-07-15 00:00:00' AS starttime"
    " FROM (SELECT DISTINCT id, name FROM person [TUMBLE 10 SECONDS]) AS p"
    " JOIN (SELECT DISTINCT seller FROM auction [TUMBLE 10 SECONDS]) AS a ON p.id = a.seller",
    "q10": "SELECT auction, bidder, price, CAST(date_time AS STRING) AS t, "
    f"{_DAY} AS day, date_format(date_time, 'hh:mm') AS minute FROM bid",
    "q14": "SELECT auction, bidder, 0.908 * price AS price,"
    " CASE WHEN EXTRACT(HOUR FROM date_time) >= 8 AND EXTRACT(HOUR FROM date_time) <= 18"
    " THEN 'dayTime'"
    " WHEN EXTRACT(HOUR FROM date_time) <= 6 OR EXTRACT(HOUR FROM date_time) >= 20"
    " THEN 'nightTime' ELSE 'otherTime' END AS kind, CAST(date_time AS STRING) AS t,"
    " LENGTH(extra) - LENGTH(REPLACE(extra, 'c', '')) AS c_counts"
    " FROM bid WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000",
    "q15": f"SELECT {_DAY} AS day, {_RANKS} FROM bid GROUP BY {_DAY}",
    "q16": f"SELECT channel, {_DAY} AS day, MAX(date_format(date_time, 'hh:MM')) AS minute,"
    f" {_RANKS} FROM bid GROUP BY channel, {_DAY}",
    "q17": f"SELECT auction, {_DAY} AS day, COUNT(*) AS bids,"
    " COUNT(*) FILTER (WHERE price < 10000) AS rank1,"
    " COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS rank2,"
    " COUNT(*) FILTER (WHERE price >= 1000000) AS rank3, MIN(price) AS least, MAX(price) AS most,"
    f" AVG(price) AS mean, SUM(price) AS total FROM bid GROUP BY auction, {_DAY}",
    "q18": "SELECT auction, bidder, price, channel, url, CAST(date_time AS STRING) AS t, extra"
    " FROM bid [PARTITION BY bidder, auction ROWS 1]",
    "q20": "SELECT b.auction, b.bidder, b.price, b.channel, b.url,"
    " CAST(b.date_time AS STRING) AS bid_time, b.extra AS bid_extra, a.item_name, a.description,"
    " a.initial_bid, a.reserve, CAST(a.date_time AS STRING) AS auction_time,"
    " CAST(a.expires AS STRING) AS expires, a.seller, a.category, a.extra AS auction_extra"
    " FROM bid AS b INNER JOIN auction AS a ON b.auction = a.id WHERE a.category = 10",
    "q21": "SELECT auction, bidder, price, channel, CASE WHEN LOWER(channel) = 'apple' THEN '0'"
    " WHEN LOWER(channel) = 'google' THEN '1' WHEN LOWER(channel) = 'facebook' THEN '2'"
    " WHEN LOWER(channel) = 'baidu' THEN '3'"
    " ELSE regexp_extract(url, '(&|^)channel_id=([^&]*)', 2) END AS channel_id FROM bid"
    " WHERE NULLIF(regexp_extract(url, '(&|^)channel_id=([^&]*)', 2), '') IS NOT NULL"
    " OR LOWER(channel) IN ('apple', 'google', 'facebook', 'baidu')",
    "q22": "SELECT auction, bidder, price, channel, split_part(url, '/', 4) AS dir1,"
    " split_part(url, '/', 5) AS dir2, split_part(url, '/', 6) AS dir3 FROM bid",
    "q101": "SELECT a.id, a.item_name, b.max_price FROM auction AS a LEFT OUTER JOIN"
    " (SELECT auction, MAX(price) AS max_price FROM bid GROUP BY auction) AS b ON a.id = b.auction",
    # A query is no value in CQL: what HAVING compares with is joined.
    "q102": "SELECT g.id, g.item_name, g.bids FROM"
    " (SELECT a.id, a.item_name, COUNT(b.auction) AS bids FROM auction AS a"
    " JOIN bid AS b ON a.id = b.auction GROUP BY a.id, a.item_name) AS g,"
    " (SELECT COUNT(*) AS n, COUNT(DISTINCT auction) AS auctions FROM bid) AS m"
    " WHERE g.bids >= m.n DIV NULLIF(m.auctions, 0)",
    "q103": "SELECT a.id, a.item_name FROM auction AS a WHERE a.id IN"
    " (SELECT auction FROM bid GROUP BY auction HAVING COUNT(*) >= 20)",
    "q104": "SELECT a.id, a.item_name FROM auction AS a WHERE a.id NOT IN"
    " (SELECT auction FROM bid GROUP BY auction HAVING COUNT(*) < 20)",
    # Without ORDER BY and LIMIT 1000, which leave out none of its 12 rows.
    "q105": "SELECT a.id, a.item_name, COUNT(b.auction) AS bids FROM auction AS a"
    " JOIN bid AS b ON a.id = b.auction GROUP BY a.id, a.item_name",
    "q106": "SELECT MIN(final) AS least FROM (SELECT a.id, MAX(b.price) AS final"
    " FROM auction AS a, bid AS b WHERE b.auction = a.id"
    " AND b.date_time BETWEEN a.date_time AND a.expires GROUP BY a.id) AS f",
}


def material() -> Mapping[str, list[str]]:
    """The expected rows of every query, as text."""
    whole = json.loads((NEXMARK / "expected_risingwave.json").read_text("utf-8"))
    return {name: entry["expected_rows"] for name, entry in whole.items()}


def cql(names: Iterable[str]) -> str:
    """One .cql text with the streams and these queries."""
    streams = [
        f"CREATE STREAM {name} ({columns}, ts TIMESTAMP, ORDER BY ts WITHIN 1 MINUTE)"
        f" FROM JSON '{{dir}}/in/{name}';"
        for name, columns in COLUMNS.items()
    ]
    queries = [
        f"CREATE QUERY {name} AS {QUERIES[name]} INTO PARQUET '{{dir}}/out/{name}' AS CHANGELOG;"
        for name in names
    ]
    return "\n".join(["SET unbounded_state = 'allow';", *streams, *queries, ""])


def rows(stream: str) -> list[dict[str, Any]]:
    """A stream's rows, times as microseconds."""
    declared = re.findall(r"(\w+) (BIGINT|STRING|TIMESTAMP)", COLUMNS[stream])
    with (NEXMARK / f"{stream}.csv").open(encoding="utf-8", newline="") as file:
        found = [
            {name: _read(row[name], kind) for name, kind in declared}
            for row in csv.DictReader(file)
        ]
    # Of rows of one instant the last to arrive is the newest; RisingWave's q18 takes the one whose
    # `extra` is the least.
    found.sort(key=lambda row: row["extra"], reverse=True)
    found.sort(key=lambda row: row["date_time"])
    return [row | {"ts": row["date_time"] + 1} for row in found]


def _read(text: str, kind: str) -> Any:
    if kind == "BIGINT":
        return int(text)
    return _instant(text) if kind == "TIMESTAMP" else text


def _instant(text: str) -> int:
    return microseconds(datetime.fromisoformat(text).replace(tzinfo=UTC))


def answers(query: str, changes: Changes, now: int) -> Counter[tuple[str, ...]]:
    """What a query gives: the answer now, or the answers at the ends of all windows."""
    if query not in WINDOWS:
        return _at(changes, now)
    step = WINDOWS[query] * 1_000_000
    first = min(instant for at in changes.values() for instant in at)
    found: Counter[tuple[str, ...]] = Counter()
    for instant in range(first // step * step, now + 1, step):
        found += _at(changes, instant)
    return found


def _at(changes: Changes, instant: int) -> Counter[tuple[str, ...]]:
    found: Counter[tuple[str, ...]] = Counter()
    for row, at in changes.items():
        found[words(row)] += sum(weight for when, weight in at.items() if when <= instant)
    return +found


def words(row: Iterable[Any]) -> tuple[str, ...]:
    """A row as it is compared: the words of its values, numbers to nine digits, times without zeros
    at the end."""
    texts = ("NULL" if value is None else str(value) for value in row)
    return tuple(_word(word) for text in texts for word in text.split())


def _word(word: str) -> str:
    if re.fullmatch(r"\d\d:\d\d:\d\d\.\d+", word):
        return word.rstrip("0")
    if re.fullmatch(r"-?\d+(\.\d*)?(E[+-]?\d+)?", word, re.I) is None:
        return word
    value = Decimal(word)
    if value == value.to_integral_value():
        return str(int(value))
    return f"{float(word):.9g}"
