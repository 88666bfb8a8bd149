"""upa_query_1.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit upa_query_1.py --checkpoint DIR [--drain | --until T]
    python upa_query_1.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    join,
    keep_rows,
    select,
    sink,
    where,
    window_range,
)

program = Program(
    name="upa_query_1",
    fingerprint="ee806412104b3a15",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="link1",
            format="csv",
            path="data/link1/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src", "protocol", "nbytes"],
            order="ts",
            timestamps=False,
        ),
        Stream(
            name="link2",
            format="csv",
            path="data/link2/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src", "protocol", "nbytes"],
            order="ts",
            timestamps=False,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="upa_query_1", streams=["link1", "link2"], format="parquet", path="out/both"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = e.elements("link1")
    # f2 Filter protocol = 'ftp'                MON  stateless: rows keep their order and their ends
    f2 = where(s1, "`protocol` = 'ftp'")
    # w3 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w3 = window_range(f2, 2000)
    # o4 KeepRows                  WKS  few rows pass the filter: they are kept, the archive has all
    o4 = keep_rows(e, "o4", w3)
    # s5 Scan link2                               MON  each row valid from its order value on
    s5 = e.elements("link2")
    # f6 Filter protocol = 'ftp'                MON  stateless: rows keep their order and their ends
    f6 = where(s5, "`protocol` = 'ftp'")
    # w7 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w7 = window_range(f6, 2000)
    # o8 KeepRows                  WKS  few rows pass the filter: they are kept, the archive has all
    o8 = keep_rows(e, "o8", w7)
    # p9 Project src AS b_src, nbytes AS b_nbytes
    #    WKS  stateless: rows keep their order and their ends
    p9 = select(o8, {"b_src": "`src`", "b_nbytes": "`nbytes`"})
    # j10 Join on src = b_src        WK   pairs end with the row that ends first: no negative tuples
    j10 = join(e, "j10", o4, p9, equal=[("src", "b_src")])
    # p11 Project src, nbytes, b_nbytes AS other
    #     WK   stateless: rows keep their order and their ends
    p11 = select(j10, {"src": "`src`", "nbytes": "`nbytes`", "other": "`b_nbytes`"})
    # k12 Sink upa_query_1 to parquet out/both as changelog  WK   every change, with its weight
    sink(
        e,
        "upa_query_1",
        p11,
        format="parquet",
        path="out/both",
        mode="changelog",
        names=["src", "nbytes", "other"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
