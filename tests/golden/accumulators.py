"""accumulators.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit accumulators.py --checkpoint DIR [--drain | --until T]
    python accumulators.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Program, Query, Stream, aggregate, group, sink, window_range

program = Program(
    name="accumulators",
    fingerprint="e0ee8e27c0793d99",
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
    queries=[Query(name="accumulators", streams=["quotes"])],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 HOUR
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 3_600_000_000)
    # g3 Group by symbol: COUNT(*) AS n, SUM(shares) AS shares
    #    WK   what leaves can be subtracted exactly
    g3 = group(
        e,
        "g3",
        w2,
        keys={"symbol": "`symbol`"},
        aggregates={
            "n": aggregate("count"),
            "shares": aggregate("sum", "`shares`", "BIGINT", "INT"),
        },
        by="accumulators",
    )
    # k4 Sink accumulators to console as changelog  WK   every change, with its weight
    sink(
        e,
        "accumulators",
        g3,
        format="console",
        path=None,
        mode="changelog",
        names=["symbol", "n", "shares"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
