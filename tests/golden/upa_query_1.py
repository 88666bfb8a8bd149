"""upa_query_1.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit upa_query_1.py --checkpoint DIR [--drain | --until T]
    python upa_query_1.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Program, Query, Stream, join, select, sink, where, window_range

program = Program(
    name="upa_query_1",
    fingerprint="b5a8dc23cf8312b5",
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
            keep=2000,
        ),
        Stream(
            name="link2",
            format="csv",
            path="data/link2/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src", "protocol", "nbytes"],
            order="ts",
            timestamps=False,
            keep=2000,
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
    # s4 Scan link2                               MON  each row valid from its order value on
    s4 = e.elements("link2")
    # f5 Filter protocol = 'ftp'                MON  stateless: rows keep their order and their ends
    f5 = where(s4, "`protocol` = 'ftp'")
    # w6 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w6 = window_range(f5, 2000)
    # p7 Project src AS b_src, nbytes AS b_nbytes
    #    WKS  stateless: rows keep their order and their ends
    p7 = select(w6, {"b_src": "`src`", "b_nbytes": "`nbytes`"})
    # j8 Join on src = b_src         WK   pairs end with the row that ends first: no negative tuples
    j8 = join(e, "j8", w3, p7, equal=[("src", "b_src")])
    # p9 Project src, nbytes, b_nbytes AS other
    #    WK   stateless: rows keep their order and their ends
    p9 = select(j8, {"src": "`src`", "nbytes": "`nbytes`", "other": "`b_nbytes`"})
    # k10 Sink upa_query_1 to parquet out/both as changelog  WK   every change, with its weight
    sink(
        e,
        "upa_query_1",
        p9,
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
