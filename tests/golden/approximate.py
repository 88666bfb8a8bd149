"""approximate.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit approximate.py --checkpoint DIR [--drain | --until T]
    python approximate.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Replay,
    Stream,
    aggregate,
    group,
    hold,
    join,
    select,
    sink,
    where,
    window_range,
)

program = Program(
    name="approximate",
    fingerprint="b7c25a2beee6b335",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="bids",
            format="json",
            path="data/bids/",
            schema="`ts` TIMESTAMP, `id` BIGINT, `item` BIGINT, `price` DOUBLE, `op` STRING",
            columns=["item", "price"],
            order="ts",
            within=5_000_000,
            max_ahead=86_400_000_000,
            ordered=True,
            keep=3_719_999_999,
            kept=3_600_000_000,
            key=["id"],
            operation="op",
            marks={"d": "delete", "c": "insert", "u": "replace"},
        ),
        Stream(
            name="views",
            format="json",
            path="data/views/",
            schema="`ts` TIMESTAMP, `item` BIGINT",
            columns=["item"],
            order="ts",
            max_ahead=86_400_000_000,
            ordered=True,
            keep=3_719_999_999,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="seen", streams=["bids", "views"], format="parquet", path="out/seen"),
        Query(name="mean", streams=["bids"], format="parquet", path="out/mean"),
        Query(name="dear", streams=["bids"], format="parquet", path="out/dear"),
    ],
    replay=Replay(
        slices="minimal",
        places=["group g7", "group g10"],
        reach={"bids": 119_999_999, "views": 69_999_999},
        need=119_999_999,
        percent=10,
        drawn={"bids": ["views"], "views": ["bids"]},
    ),
)


@program.epoch
def epoch(e):
    # s1 Scan bids                                MON  each row valid from its order value on
    s1 = e.elements("bids")
    # w2 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 60_000_000)
    # s3 Scan views                               MON  each row valid from its order value on
    s3 = e.elements("views")
    # w4 Window range 1 MINUTE slide 10 SECONDS   WKS  both ends rounded up to the slide
    w4 = window_range(s3, 60_000_000, slide=10_000_000)
    # p5 Project item AS v_item                 WKS  stateless: rows keep their order and their ends
    p5 = select(w4, {"v_item": "`item`"})
    # j6 Join on item = v_item       WK   pairs end with the row that ends first: no negative tuples
    j6 = join(e, "j6", w2, p5, equal=[("item", "v_item")])
    # g7 Group by item: COUNT(*) AS n, SUM(price) AS total
    #    WK   what leaves can be subtracted exactly
    g7 = group(
        e,
        "g7",
        j6,
        keys={"item": "`item`"},
        aggregates={
            "n": aggregate("count"),
            "total": aggregate("sum", "`price`", "DOUBLE", "DOUBLE"),
        },
        by="accumulators",
        estimated=True,
    )
    # k8 Sink seen to parquet out/seen as changelog  WK   every change, with its weight
    sink(
        e,
        "seen",
        g7,
        format="parquet",
        path="out/seen",
        mode="changelog",
        names=["item", "n", "total"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w9 Window range 1 MINUTE slide 1 MINUTE     WKS  both ends rounded up to the slide
    w9 = window_range(s1, 60_000_000, slide=60_000_000)
    # g10 Group of all: SUM(price) AS sum_price, COUNT(*) AS count
    #     WK   what leaves can be subtracted exactly
    g10 = group(
        e,
        "g10",
        w9,
        keys={},
        aggregates={
            "sum_price": aggregate("sum", "`price`", "DOUBLE", "DOUBLE"),
            "count": aggregate("count"),
        },
        by="accumulators",
        streams=["bids"],
        estimated=True,
    )
    # p11 Project sum_price / count AS mean     WK   stateless: rows keep their order and their ends
    p11 = select(g10, {"mean": "`sum_price` / `count`"})
    # h12 Hold until complete                     WK   EMIT FINAL: only what is complete in order
    h12 = hold(e, "h12", p11, until="complete")
    # k13 Sink mean to parquet out/mean as changelog emit final  WK   every change, with its weight
    sink(
        e,
        "mean",
        h12,
        format="parquet",
        path="out/mean",
        mode="changelog",
        names=["mean"],
        key=[],
        emit="final",
        timestamps=True,
        options={},
    )
    # f14 Filter price > 100                    MON  stateless: rows keep their order and their ends
    f14 = where(s1, "`price` > 100")
    # p15 Project item, price                   MON  stateless: rows keep their order and their ends
    p15 = select(f14, {"item": "`item`", "price": "`price`"})
    # k16 Sink dear to parquet out/dear as changelog  MON  every change, with its weight
    sink(
        e,
        "dear",
        p15,
        format="parquet",
        path="out/dear",
        mode="changelog",
        names=["item", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
