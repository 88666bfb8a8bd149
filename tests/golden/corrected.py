"""corrected.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit corrected.py --checkpoint DIR [--drain | --until T]
    python corrected.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    distinct,
    group,
    join,
    select,
    sink,
    to_points,
    window_range,
)

program = Program(
    name="corrected",
    fingerprint="a4804923fa2a8387",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="json",
            path="quotes/",
            schema="`ts` TIMESTAMP, `id` BIGINT, `symbol` STRING, `price` DOUBLE, `op` STRING",
            columns=["symbol", "price"],
            order="ts",
            within=2_000_000,
            max_ahead=86_400_000_000,
            ordered=True,
            keep=60_000_000,
            kept=3_600_000_000,
            read_as_arrived=True,
            key=["id"],
            operation="op",
            marks={"d": "delete", "c": "insert", "u": "replace"},
        ),
        Stream(
            name="news",
            format="json",
            path="news/",
            schema="`ts` TIMESTAMP, `symbol` STRING",
            columns=["symbol"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=60_000_000,
            kept=1_800_000_000,
            read_as_arrived=True,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="averages", streams=["quotes"], format="parquet", path="out/averages"),
        Query(name="told", streams=["news", "quotes"], format="parquet", path="out/told"),
        Query(name="latest", streams=["news"], format="log", path="out/latest.log"),
    ],
    fail_on_anomaly=True,
    defers=True,
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 60_000_000)
    # g3 Group by symbol: AVG(price) AS price     WK   what leaves can be subtracted exactly
    g3 = group(
        e,
        "g3",
        w2,
        keys={"symbol": "`symbol`"},
        aggregates={"price": aggregate("avg", "`price`", "DOUBLE", "DOUBLE")},
        by="accumulators",
    )
    # k4 Sink averages to parquet out/averages as changelog  WK   every change, with its weight
    sink(
        e,
        "averages",
        g3,
        format="parquet",
        path="out/averages",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # s5 Scan quotes as arrived
    #    MON  each row valid from its order value on; late rows and corrections are left out
    s5 = e.elements("quotes", as_arrived=True)
    # w6 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w6 = window_range(s5, 60_000_000)
    # s7 Scan news as arrived
    #    MON  each row valid from its order value on; late rows and corrections are left out
    s7 = e.elements("news", as_arrived=True)
    # w8 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w8 = window_range(s7, 60_000_000)
    # p9 Project symbol AS n_symbol             WKS  stateless: rows keep their order and their ends
    p9 = select(w8, {"n_symbol": "`symbol`"})
    # j10 Join on symbol = n_symbol  WK   pairs end with the row that ends first: no negative tuples
    j10 = join(e, "j10", w6, p9, equal=[("symbol", "n_symbol")])
    # p11 Project symbol, price                 WK   stateless: rows keep their order and their ends
    p11 = select(j10, {"symbol": "`symbol`", "price": "`price`"})
    # k12 Sink told to parquet out/told as changelog  WK   every change, with its weight
    sink(
        e,
        "told",
        p11,
        format="parquet",
        path="out/told",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # s13 Scan news                               MON  each row valid from its order value on
    s13 = e.elements("news")
    # w14 Window range 5 MINUTES
    #     WKS  every row lives equally long: the window is the tail of the stream
    w14 = window_range(s13, 300_000_000)
    # p15 Project symbol                        WKS  stateless: rows keep their order and their ends
    p15 = select(w14, {"symbol": "`symbol`"})
    # d16 Distinct              WK   ends are announced: δ* keeps covered intervals, never the input
    d16 = distinct(e, "d16", p15)
    # t17 ToPoints                     WK   the next step needs rows that come and leave at instants
    t17 = to_points(e, "t17", d16)
    # k18 Sink latest to log out/latest.log as changelog  WK   every change, with its weight
    sink(
        e,
        "latest",
        t17,
        format="log",
        path="out/latest.log",
        mode="changelog",
        names=["symbol"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
