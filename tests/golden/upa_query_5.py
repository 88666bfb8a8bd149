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
    select,
    sink,
    to_points,
    where,
    window_range,
)

program = Program(
    name="upa_query_5",
    fingerprint="136891d970fef69c",
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
            keep=2000,
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
    # p6 Project src AS c_src                   WKS  stateless: rows keep their order and their ends
    p6 = select(w5, {"c_src": "`src`"})
    # j7 Join on src = c_src         WK   pairs end with the row that ends first: no negative tuples
    j7 = join(e, "j7", w2, p6, equal=[("src", "c_src")])
    # s8 Scan link2                               MON  each row valid from its order value on
    s8 = e.elements("link2")
    # w9 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w9 = window_range(s8, 2000)
    # p10 Project src AS in_src                 WKS  stateless: rows keep their order and their ends
    p10 = select(w9, {"in_src": "`src`"})
    # t11 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t11 = to_points(e, "t11", p10)
    # x12 SemiJoin without a match on src = in_src
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x12 = anti_join(e, "x12", j7, t11, equal=[("src", "in_src")])
    # p13 Project src                           STR  stateless: rows keep their order and their ends
    p13 = select(x12, {"src": "`src`"})
    # k14 Sink without to log out/q5_without.log as changelog  STR  every change, with its weight
    sink(
        e,
        "without",
        p13,
        format="log",
        path="out/q5_without.log",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )
    # p15 Project src                           WKS  stateless: rows keep their order and their ends
    p15 = select(w2, {"src": "`src`"})
    # j16 Join on src = c_src        WK   pairs end with the row that ends first: no negative tuples
    j16 = join(e, "j16", p15, p6, equal=[("src", "c_src")])
    # p17 Project src                           WKS  stateless: rows keep their order and their ends
    p17 = select(w9, {"src": "`src`"})
    # j18 Join on src = c_src        WK   pairs end with the row that ends first: no negative tuples
    j18 = join(e, "j18", p17, p6, equal=[("src", "c_src")])
    # t19 ToPoints                     WK   the next step needs rows that come and leave at instants
    t19 = to_points(e, "t19", j16)
    # t20 ToPoints                     WK   the next step needs rows that come and leave at instants
    t20 = to_points(e, "t20", j18)
    # c21 SetOperation except all                 STR  copies of each row are counted on both sides
    c21 = except_all(e, "c21", t19, t20)
    # p22 Project src                           STR  stateless: rows keep their order and their ends
    p22 = select(c21, {"src": "`src`"})
    # k23 Sink less to log out/q5_less.log as changelog  STR  every change, with its weight
    sink(
        e,
        "less",
        p22,
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
