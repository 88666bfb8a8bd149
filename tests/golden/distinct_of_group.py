"""distinct_of_group.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit distinct_of_group.py --checkpoint DIR [--drain | --until T]
    python distinct_of_group.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    distinct_points,
    group,
    select,
    sink,
    window_range,
)

program = Program(
    name="distinct_of_group",
    fingerprint="838a617279f069f3",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="csv",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE, `shares` INT",
            columns=["symbol"],
            order="ts",
            within=10_000_000,
            max_ahead=86_400_000_000,
            keep=3_600_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="distinct_of_group", streams=["quotes"])],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 HOUR
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 3_600_000_000)
    # g3 Group by symbol: COUNT(*) AS n           WK   what leaves can be subtracted exactly
    g3 = group(
        e,
        "g3",
        w2,
        keys={"symbol": "`symbol`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # p4 Project n                              STR  stateless: rows keep their order and their ends
    p4 = select(g3, {"n": "`n`"})
    # d5 Distinct                                 STR  rows can be taken back: copies are counted
    d5 = distinct_points(e, "d5", p4)
    # k6 Sink distinct_of_group to console as changelog  STR  every change, with its weight
    sink(
        e,
        "distinct_of_group",
        d5,
        format="console",
        path=None,
        mode="changelog",
        names=["n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
