"""The starter that `reflow new` makes: a folder in, the same files in it every time."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path

QUERY = """\
-- Five-minute average price of every symbol, renewed every minute.
CREATE STREAM quotes (
  ts     TIMESTAMP,
  symbol STRING,
  price  DOUBLE,
  KEY (symbol, ts),
  ORDER BY ts WITHIN 10 SECONDS            -- rows may come up to ten seconds out of order
) FROM CSV 'data/quotes/' OPTIONS (header = 'true');

CREATE QUERY averages AS
SELECT symbol, AVG(price) AS price, COUNT(*) AS n
FROM quotes [RANGE 5 MINUTES SLIDE 1 MINUTE]
GROUP BY symbol
INTO LOG 'out/averages.log';
"""

TESTS = """\
-- Tests of averages.cql, for `reflow test averages.test.cql`.
RUN SCRIPT 'averages.cql';

TEST 'an average is over the last five minutes';
INSERT INTO quotes VALUES
    ('2026-01-05 09:30:10', 'IBM', 190.0),
    ('2026-01-05 09:30:40', 'IBM', 192.0),
    ('2026-01-05 09:32:00', 'ACME', 42.0);
ASSERT ANSWER averages AT '2026-01-05 09:31:00' VALUES ('IBM', 191.0, 2);
ASSERT ANSWER averages VALUES ('IBM', 191.0, 2), ('ACME', 42.0, 1);
ADVANCE TO '2026-01-05 09:36:00';
ASSERT ANSWER averages VALUES ('ACME', 42.0, 1);

TEST 'a row may come up to ten seconds late';
INSERT INTO quotes (symbol, price) VALUES ('IBM', 190.0) AT '2026-01-05 09:31:02';
ADVANCE TO '2026-01-05 09:32:00';
ASSERT CHANGES averages ENTERED VALUES ('IBM', 190.0, 1) AT '2026-01-05 09:32:00';
INSERT INTO quotes (symbol, price) VALUES ('IBM', 180.0) AT '2026-01-05 09:30:55';
INSERT INTO quotes (symbol, price) VALUES ('IBM', 999.0) AT '2026-01-05 09:30:45';  -- too late
ASSERT ANSWER averages VALUES ('IBM', 185.0, 2);
ASSERT CHANGES averages
    ENTERED VALUES ('IBM', 180.0, 1) AT '2026-01-05 09:31:00'
    ENTERED VALUES ('IBM', 185.0, 2) AT '2026-01-05 09:32:00'
    LEFT VALUES ('IBM', 180.0, 1), ('IBM', 190.0, 1) AT '2026-01-05 09:32:00';

TEST 'symbols have no average';
CREATE QUERY wrong AS SELECT AVG(symbol) AS symbol FROM quotes [RANGE 5 MINUTES];
ASSERT ERROR RF2104;
"""

README = """\
# A first Reflow query

`averages.cql` reads the quotes in `data/quotes/` and keeps a five-minute average for every symbol.
Run all commands in this folder.

    reflow check averages.cql
    reflow explain averages.cql
    reflow run averages.cql --checkpoint state --drain

The answer is in `out/averages.log`: `[instant]:+:row` when a row enters the answer,
`[instant]:-:row` when it leaves it. Put another file into `data/quotes/` and run the last command
again: it goes on where it ended. Without `--drain` it waits for more input until Ctrl-C.

`averages.test.cql` holds tests of the query: rows, instants, and what the answer must then be.

    reflow test averages.test.cql

`reflow compile averages.cql -o averages.py` writes the program that `run` runs.
"""

SYMBOLS = {"IBM": 190.0, "ACME": 42.0, "INIT": 7.5}
START = datetime(2026, 1, 5, 9, 30)
SECONDS = 1200


def write_starter(folder: Path) -> None:
    """The same files every time."""
    data = folder / "data" / "quotes"
    data.mkdir(parents=True)
    (folder / "averages.cql").write_text(QUERY, encoding="utf-8")
    (folder / "averages.test.cql").write_text(TESTS, encoding="utf-8")
    (folder / "README.md").write_text(README, encoding="utf-8")
    (folder / ".gitignore").write_text("state/\nout/\n", encoding="utf-8")
    (data / "quotes-0.csv").write_text(quotes(), encoding="utf-8")


def quotes() -> str:
    """Twenty minutes of random walks, a quote of each symbol every five seconds."""
    chance = random.Random(1)
    prices = dict(SYMBOLS)
    lines = ["ts,symbol,price"]
    for second in range(0, SECONDS, 5):
        for offset, symbol in enumerate(prices):
            prices[symbol] *= 1 + chance.gauss(0, 0.001)
            instant = START + timedelta(seconds=second + offset)
            lines.append(f"{instant:%Y-%m-%d %H:%M:%S},{symbol},{prices[symbol]:.2f}")
    return "\n".join(lines) + "\n"
