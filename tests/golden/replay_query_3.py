"""replay_query_3.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit replay_query_3.py --checkpoint DIR [--drain | --until T]
    python replay_query_3.py --checkpoint DIR [--drain | --until T]
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
    name="replay_query_3",
    fingerprint="a7ff41e6fa4f45ad",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="csv",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE, `shares` INT",
            columns=["symbol", "price"],
            order="ts",
            within=10_000_000,
            max_ahead=86_400_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="replay_query_3", streams=["quotes"])],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # f2 Filter symbol = 'IBM'                  MON  stateless: rows keep their order and their ends
    f2 = where(s1, "`symbol` = 'IBM'")
    # w3 Window range 1 MINUTE slide 1 MINUTE     WKS  both ends rounded up to the slide
    w3 = window_range(f2, 60_000_000, slide=60_000_000)
    # g4 Group of all: AVG(price) AS p
    #    WK   window with SLIDE: one partial per group and pane, no archive
    g4 = group(
        e,
        "g4",
        w3,
        keys={},
        aggregates={"p": aggregate("avg", "`price`", "DOUBLE", "DOUBLE")},
        by="panes",
    )
    # w5 Window range 5 MINUTES slide 1 MINUTE    WKS  both ends rounded up to the slide
    w5 = window_range(f2, 300_000_000, slide=60_000_000)
    # g6 Group of all: AVG(price) AS p
    #    WK   window with SLIDE: one partial per group and pane, no archive
    g6 = group(
        e,
        "g6",
        w5,
        keys={},
        aggregates={"p": aggregate("avg", "`price`", "DOUBLE", "DOUBLE")},
        by="panes",
    )
    # p7 Project p AS l_p                       WK   stateless: rows keep their order and their ends
    p7 = select(g6, {"l_p": "`p`"})
    # j8 Join all pairs                           STR  an input can be taken back: pairs are, too
    j8 = join_points(e, "j8", g4, p7, equal=[])
    # p9 Project CASE WHEN p > l_p THEN 'BUY' ELSE 'SELL' END AS advice
    #    STR  stateless: rows keep their order and their ends
    p9 = select(j8, {"advice": "CASE WHEN `p` > `l_p` THEN 'BUY' ELSE 'SELL' END"})
    # k10 Sink replay_query_3 to console as changelog  STR  every change, with its weight
    sink(
        e,
        "replay_query_3",
        p9,
        format="console",
        path=None,
        mode="changelog",
        names=["advice"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
