"""window_over_report.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit window_over_report.py --checkpoint DIR [--drain | --until T]
    python window_over_report.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    as_stream,
    group,
    istream,
    sink,
    where,
    window_range,
)

program = Program(
    name="window_over_report",
    fingerprint="053bee587ed0d98f",
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
            keep=60_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="window_over_report", streams=["quotes"])],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 60_000_000)
    # g3 Group by symbol: COUNT(*) AS c           WK   what leaves can be subtracted exactly
    g3 = group(
        e,
        "g3",
        w2,
        keys={"symbol": "`symbol`"},
        aggregates={"c": aggregate("count")},
        by="accumulators",
    )
    # i4 Report istream                           MON  rows that enter the answer
    i4 = istream(e, "i4", g3)
    # f5 Filter c > 5                           MON  stateless: rows keep their order and their ends
    f5 = where(i4, "`c` > 5")
    # a6 AsStream                                 MON  reported rows are elements again
    a6 = as_stream(f5)
    # w7 Window range 1 HOUR
    #    WKS  every row lives equally long: the window is the tail of the stream
    w7 = window_range(a6, 3_600_000_000)
    # g8 Group by symbol: COUNT(*) AS n           WK   what leaves can be subtracted exactly
    g8 = group(
        e,
        "g8",
        w7,
        keys={"symbol": "`symbol`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # k9 Sink window_over_report to console as changelog  WK   every change, with its weight
    sink(
        e,
        "window_over_report",
        g8,
        format="console",
        path=None,
        mode="changelog",
        names=["symbol", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
