"""kept_rows.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit kept_rows.py --checkpoint DIR [--drain | --until T]
    python kept_rows.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Replay,
    Stream,
    aggregate,
    group,
    join,
    select,
    sink,
    window_range,
)

program = Program(
    name="kept_rows",
    fingerprint="8cf4d43702b4b15f",
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
            keep=60_000_000,
            kept=0,
            kept_rows=1_000_000,
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
            keep=60_000_000,
            kept=86_400_000_000,
        ),
        Stream(
            name="hints",
            format="json",
            path="data/hints/",
            schema="`ts` TIMESTAMP, `symbol` STRING",
            columns=["symbol"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=1,
            kept=0,
            kept_rows=1000,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="average", streams=["news", "quotes"], format="parquet", path="out/average"),
        Query(name="hinted", streams=["hints"], format="parquet", path="out/hinted"),
    ],
    replay=Replay(
        slices="minimal",
        places=["query average"],
        reach={"news": 30_000_000, "quotes": 60_000_000},
        need=60_000_000,
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
    # s3 Scan news                                MON  each row valid from its order value on
    s3 = e.elements("news")
    # w4 Window range 30 SECONDS
    #    WKS  every row lives equally long: the window is the tail of the stream
    w4 = window_range(s3, 30_000_000)
    # p5 Project symbol AS n_symbol             WKS  stateless: rows keep their order and their ends
    p5 = select(w4, {"n_symbol": "`symbol`"})
    # j6 Join on symbol = n_symbol   WK   pairs end with the row that ends first: no negative tuples
    j6 = join(e, "j6", w2, p5, equal=[("symbol", "n_symbol")])
    # g7 Group by symbol: AVG(price) AS price     WK   what leaves can be subtracted exactly
    g7 = group(
        e,
        "g7",
        j6,
        keys={"symbol": "`symbol`"},
        aggregates={"price": aggregate("avg", "`price`", "DOUBLE", "DOUBLE")},
        by="accumulators",
    )
    # k8 Sink average to parquet out/average as changelog  WK   every change, with its weight
    sink(
        e,
        "average",
        g7,
        format="parquet",
        path="out/average",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # s9 Scan hints                               MON  each row valid from its order value on
    s9 = e.elements("hints")
    # p10 Project symbol                        MON  stateless: rows keep their order and their ends
    p10 = select(s9, {"symbol": "`symbol`"})
    # k11 Sink hinted to parquet out/hinted as changelog  MON  every change, with its weight
    sink(
        e,
        "hinted",
        p10,
        format="parquet",
        path="out/hinted",
        mode="changelog",
        names=["symbol"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
