"""in_place.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit in_place.py --checkpoint DIR [--drain | --until T]
    python in_place.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Program, Query, Replay, Stream, join, select, sink, window_range

program = Program(
    name="in_place",
    fingerprint="a4f4f79719813cef",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="parquet",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE",
            columns=["symbol", "price"],
            order="ts",
            within=5_000_000,
            max_ahead=86_400_000_000,
            keep=3_660_000_000,
            kept=3_600_000_000,
            in_place=True,
        ),
        Stream(
            name="news",
            format="json",
            path="data/news/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `headline` STRING",
            columns=["symbol", "headline"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=3_660_000_000,
            kept=3_600_000_000,
        ),
    ],
    nrrs=[],
    queries=[Query(name="in_place", streams=["news", "quotes"], format="parquet", path="out/told")],
    replay=Replay(
        slices="minimal",
        places=["query in_place"],
        reach={"news": 60_000_000, "quotes": 60_000_000},
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
    # w4 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w4 = window_range(s3, 60_000_000)
    # p5 Project symbol AS n_symbol, headline   WKS  stateless: rows keep their order and their ends
    p5 = select(w4, {"n_symbol": "`symbol`", "headline": "`headline`"})
    # j6 Join on symbol = n_symbol   WK   pairs end with the row that ends first: no negative tuples
    j6 = join(e, "j6", w2, p5, equal=[("symbol", "n_symbol")])
    # p7 Project symbol, price, headline        WK   stateless: rows keep their order and their ends
    p7 = select(j6, {"symbol": "`symbol`", "price": "`price`", "headline": "`headline`"})
    # k8 Sink in_place to parquet out/told as changelog  WK   every change, with its weight
    sink(
        e,
        "in_place",
        p7,
        format="parquet",
        path="out/told",
        mode="changelog",
        names=["symbol", "price", "headline"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
