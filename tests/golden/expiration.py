"""expiration.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit expiration.py --checkpoint DIR [--drain | --until T]
    python expiration.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Expiration,
    Program,
    Query,
    Stream,
    distinct,
    hold,
    join,
    select,
    sink,
    window_range,
)

program = Program(
    name="expiration",
    fingerprint="9bc7fca8f5d7bc47",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="link1",
            format="csv",
            path="data/link1/",
            schema="`ts` BIGINT, `src` STRING",
            columns=["src"],
            order="ts",
            timestamps=False,
        ),
        Stream(
            name="link2",
            format="csv",
            path="data/link2/",
            schema="`ts` BIGINT, `src` STRING",
            columns=["src"],
            order="ts",
            timestamps=False,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="expiration", streams=["link1", "link2"], format="parquet", path="out/both"),
    ],
    expiration=Expiration(
        eager_interval=10,
        lazy_interval=60,
        max_delay=5_000_000,
        partitions=4,
        order="expiry",
    ),
)


@program.epoch
def epoch(e):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = e.elements("link1")
    # w2 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 2000)
    # p3 Project src                            WKS  stateless: rows keep their order and their ends
    p3 = select(w2, {"src": "`src`"})
    # d4 Distinct               WK   ends are announced: δ* keeps covered intervals, never the input
    d4 = distinct(e, "d4", p3)
    # s5 Scan link2                               MON  each row valid from its order value on
    s5 = e.elements("link2")
    # w6 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w6 = window_range(s5, 2000)
    # p7 Project src                            WKS  stateless: rows keep their order and their ends
    p7 = select(w6, {"src": "`src`"})
    # d8 Distinct               WK   ends are announced: δ* keeps covered intervals, never the input
    d8 = distinct(e, "d8", p7)
    # p9 Project src AS b_src                   WK   stateless: rows keep their order and their ends
    p9 = select(d8, {"b_src": "`src`"})
    # j10 Join on src = b_src        WK   pairs end with the row that ends first: no negative tuples
    j10 = join(e, "j10", d4, p9, equal=[("src", "b_src")])
    # p11 Project src                           WK   stateless: rows keep their order and their ends
    p11 = select(j10, {"src": "`src`"})
    # h12 Hold until now                WK   rows that start later than `now` wait for their instant
    h12 = hold(e, "h12", p11, until="now")
    # k13 Sink expiration to parquet out/both as changelog  WK   every change, with its weight
    sink(
        e,
        "expiration",
        h12,
        format="parquet",
        path="out/both",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
