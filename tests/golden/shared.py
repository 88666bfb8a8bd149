"""shared.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit shared.py --checkpoint DIR [--drain | --until T]
    python shared.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    group,
    join_points,
    select,
    sink,
    where,
    window_range,
)

program = Program(
    name="shared",
    fingerprint="53dab7b3f67473cc",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="csv",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE, `shares` INT",
            columns=["symbol", "shares"],
            order="ts",
            within=10_000_000,
            max_ahead=86_400_000_000,
            keep=3_600_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="many", streams=["quotes"]),
        Query(name="pairs", streams=["quotes"], format="memory"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # f2 Filter shares > 1000                   MON  stateless: rows keep their order and their ends
    f2 = where(s1, "`shares` > 1000")
    # w3 Window range 1 HOUR
    #    WKS  every row lives equally long: the window is the tail of the stream
    w3 = window_range(f2, 3_600_000_000)
    # g4 Group by symbol: COUNT(*) AS n           WK   what leaves can be subtracted exactly
    g4 = group(
        e,
        "g4",
        w3,
        keys={"symbol": "`symbol`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # f5 Filter n > 10                          STR  stateless: rows keep their order and their ends
    f5 = where(g4, "`n` > 10")
    # k6 Sink many to console as changelog        STR  every change, with its weight
    sink(
        e,
        "many",
        f5,
        format="console",
        path=None,
        mode="changelog",
        names=["symbol", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # p7 Project symbol AS b_symbol, n AS b_n   WK   stateless: rows keep their order and their ends
    p7 = select(g4, {"b_symbol": "`symbol`", "b_n": "`n`"})
    # j8 Join on n = b_n AND symbol < b_symbol    STR  an input can be taken back: pairs are, too
    j8 = join_points(e, "j8", g4, p7, equal=[("n", "b_n")], condition="`symbol` < `b_symbol`")
    # p9 Project symbol, b_symbol AS other      STR  stateless: rows keep their order and their ends
    p9 = select(j8, {"symbol": "`symbol`", "other": "`b_symbol`"})
    # k10 Sink pairs to memory as changelog       STR  every change, with its weight
    sink(
        e,
        "pairs",
        p9,
        format="memory",
        path=None,
        mode="changelog",
        names=["symbol", "other"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
