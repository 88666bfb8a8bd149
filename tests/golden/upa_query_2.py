"""upa_query_2.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit upa_query_2.py --checkpoint DIR [--drain | --until T]
    python upa_query_2.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    distinct,
    hold,
    select,
    sink,
    window_range,
)

program = Program(
    name="upa_query_2",
    fingerprint="14cd37f1f6254b43",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="link1",
            format="csv",
            path="data/link1/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src"],
            order="ts",
            timestamps=False,
        ),
    ],
    nrrs=[],
    queries=[Query(name="upa_query_2", streams=["link1"], format="parquet", path="out/sources")],
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
    # h5 Hold until now                 WK   rows that start later than `now` wait for their instant
    h5 = hold(e, "h5", d4, until="now")
    # k6 Sink upa_query_2 to parquet out/sources as changelog  WK   every change, with its weight
    sink(
        e,
        "upa_query_2",
        h5,
        format="parquet",
        path="out/sources",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
