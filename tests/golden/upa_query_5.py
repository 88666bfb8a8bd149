"""upa_query_5.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit upa_query_5.py --checkpoint DIR [--drain | --until T]
    python upa_query_5.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    anti_join,
    except_all,
    join,
    keep_rows,
    select,
    sink,
    to_points,
    where,
    window_range,
)

program = Program(
    name="upa_query_5",
    fingerprint="9b4282d98cc8c451",
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
            keep=2000,
        ),
        Stream(
            name="link3",
            format="csv",
            path="data/link3/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src", "protocol"],
            order="ts",
            timestamps=False,
        ),
        Stream(
            name="link2",
            format="csv",
            path="data/link2/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src"],
            order="ts",
            timestamps=False,
            keep=2000,
        ),
    ],
    nrrs=[],
    queries=[
        Query(
            name="without",
            streams=["link1", "link2", "link3"],
            format="log",
            path="out/q5_without.log",
        ),
        Query(
            name="less",
            streams=["link1", "link2", "link3"],
            format="log",
            path="out/q5_less.log",
        ),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = e.elements("link1")
    # w2 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 2000)
    # s3 Scan link3                               MON  each row valid from its order value on
    s3 = e.elements("link3")
    # f4 Filter protocol = 'ftp'                MON  stateless: rows keep their order and their ends
    f4 = where(s3, "`protocol` = 'ftp'")
    # w5 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w5 = window_range(f4, 2000)
    # o6 KeepRows                  WKS  few rows pass the filter: they are kept, the archive has all
    o6 = keep_rows(e, "o6", w5)
    # p7 Project src AS c_src                   WKS  stateless: rows keep their order and their ends
    p7 = select(o6, {"c_src": "`src`"})
    # j8 Join on src = c_src         WK   pairs end with the row that ends first: no negative tuples
    j8 = join(e, "j8", w2, p7, equal=[("src", "c_src")])
    # s9 Scan link2                               MON  each row valid from its order value on
    s9 = e.elements("link2")
    # w10 Window range 2000  WKS  every row lives equally long: the window is the tail of the stream
    w10 = window_range(s9, 2000)
    # p11 Project src AS in_src                 WKS  stateless: rows keep their order and their ends
    p11 = select(w10, {"in_src": "`src`"})
    # t12 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t12 = to_points(e, "t12", p11)
    # x13 SemiJoin without a match on src = in_src
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x13 = anti_join(e, "x13", j8, t12, equal=[("src", "in_src")])
    # p14 Project src                           STR  stateless: rows keep their order and their ends
    p14 = select(x13, {"src": "`src`"})
    # k15 Sink without to log out/q5_without.log as changelog  STR  every change, with its weight
    sink(
        e,
        "without",
        p14,
        format="log",
        path="out/q5_without.log",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )
    # p16 Project src                           WKS  stateless: rows keep their order and their ends
    p16 = select(w2, {"src": "`src`"})
    # j17 Join on src = c_src        WK   pairs end with the row that ends first: no negative tuples
    j17 = join(e, "j17", p16, p7, equal=[("src", "c_src")])
    # p18 Project src                           WKS  stateless: rows keep their order and their ends
    p18 = select(w10, {"src": "`src`"})
    # j19 Join on src = c_src        WK   pairs end with the row that ends first: no negative tuples
    j19 = join(e, "j19", p18, p7, equal=[("src", "c_src")])
    # t20 ToPoints                     WK   the next step needs rows that come and leave at instants
    t20 = to_points(e, "t20", j17)
    # t21 ToPoints                     WK   the next step needs rows that come and leave at instants
    t21 = to_points(e, "t21", j19)
    # c22 SetOperation except all                 STR  copies of each row are counted on both sides
    c22 = except_all(e, "c22", t20, t21)
    # p23 Project src                           STR  stateless: rows keep their order and their ends
    p23 = select(c22, {"src": "`src`"})
    # k24 Sink less to log out/q5_less.log as changelog  STR  every change, with its weight
    sink(
        e,
        "less",
        p23,
        format="log",
        path="out/q5_less.log",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
