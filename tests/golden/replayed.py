"""replayed.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit replayed.py --checkpoint DIR [--drain | --until T]
    python replayed.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Replay,
    Stream,
    aggregate,
    distinct_points,
    group,
    hold,
    join,
    select,
    sink,
    to_points,
    where,
    window_now,
    window_range,
)

program = Program(
    name="replayed",
    fingerprint="4a039f00c53a0e95",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="json",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `id` BIGINT, `symbol` STRING, `price` DOUBLE, `op` STRING",
            columns=["symbol", "price"],
            order="ts",
            within=5_000_000,
            max_ahead=86_400_000_000,
            ordered=True,
            keep=4_200_000_000,
            kept=3_600_000_000,
            bucket=100_000,
            key=["id"],
            operation="op",
            marks={"d": "delete", "c": "insert", "u": "replace"},
        ),
        Stream(
            name="news",
            format="json",
            path="data/news/",
            schema="`ts` TIMESTAMP, `symbol` STRING",
            columns=["symbol"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=4_200_000_000,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="average", streams=["quotes"], format="parquet", path="out/average"),
        Query(name="current", streams=["quotes"], format="parquet", path="out/current"),
        Query(name="told", streams=["news", "quotes"], format="parquet", path="out/told"),
        Query(name="settled", streams=["quotes"], format="parquet", path="out/settled"),
        Query(name="dear", streams=["quotes"], format="parquet", path="out/dear"),
    ],
    replay=Replay(
        slices="minimal",
        places=["query average", "query current", "hold h12", "hold h18"],
        reach={"news": 30_000_000, "quotes": 600_000_000},
        need=600_000_000,
        by={"news": "symbol", "quotes": "symbol"},
        step=1,
    ),
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
    # k4 Sink average to parquet out/average as changelog  WK   every change, with its weight
    sink(
        e,
        "average",
        g3,
        format="parquet",
        path="out/average",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # k5 Sink current to parquet out/current as upsert  WK   the current row of each key
    sink(
        e,
        "current",
        g3,
        format="parquet",
        path="out/current",
        mode="upsert",
        names=["symbol", "price"],
        key=["symbol"],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w6 Window now                               WKS  valid for one tick
    w6 = window_now(s1)
    # s7 Scan news                                MON  each row valid from its order value on
    s7 = e.elements("news")
    # w8 Window range 30 SECONDS
    #    WKS  every row lives equally long: the window is the tail of the stream
    w8 = window_range(s7, 30_000_000)
    # p9 Project symbol AS n_symbol             WKS  stateless: rows keep their order and their ends
    p9 = select(w8, {"n_symbol": "`symbol`"})
    # j10 Join on symbol = n_symbol  WK   pairs end with the row that ends first: no negative tuples
    j10 = join(e, "j10", w6, p9, equal=[("symbol", "n_symbol")])
    # p11 Project symbol, price                 WK   stateless: rows keep their order and their ends
    p11 = select(j10, {"symbol": "`symbol`", "price": "`price`"})
    # h12 Hold until complete                     WK   EMIT FINAL: only what is complete in order
    h12 = hold(e, "h12", p11, until="complete")
    # k13 Sink told to parquet out/told as changelog emit final  WK   every change, with its weight
    sink(
        e,
        "told",
        h12,
        format="parquet",
        path="out/told",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="final",
        timestamps=True,
        options={},
    )
    # w14 Window range 10 MINUTES
    #     WKS  every row lives equally long: the window is the tail of the stream
    w14 = window_range(s1, 600_000_000)
    # p15 Project symbol                        WKS  stateless: rows keep their order and their ends
    p15 = select(w14, {"symbol": "`symbol`"})
    # t16 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t16 = to_points(e, "t16", p15)
    # d17 Distinct                                WK   rows can be taken back: copies are counted
    d17 = distinct_points(e, "d17", t16)
    # h18 Hold until frozen                       WK   EMIT FROZEN: only what no revision can change
    h18 = hold(e, "h18", d17, until="frozen")
    # k19 Sink settled to parquet out/settled as changelog emit frozen
    #     WK   every change, with its weight
    sink(
        e,
        "settled",
        h18,
        format="parquet",
        path="out/settled",
        mode="changelog",
        names=["symbol"],
        key=[],
        emit="frozen",
        timestamps=True,
        options={},
    )
    # f20 Filter price > 100                    MON  stateless: rows keep their order and their ends
    f20 = where(s1, "`price` > 100")
    # p21 Project symbol, price                 MON  stateless: rows keep their order and their ends
    p21 = select(f20, {"symbol": "`symbol`", "price": "`price`"})
    # k22 Sink dear to parquet out/dear as changelog  MON  every change, with its weight
    sink(
        e,
        "dear",
        p21,
        format="parquet",
        path="out/dear",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
