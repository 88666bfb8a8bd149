"""negation.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit negation.py --checkpoint DIR [--drain | --until T]
    python negation.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    anti_join,
    except_all_by,
    intersect_all,
    select,
    semi_join,
    sink,
    to_points,
    union_all,
    where,
    window_range,
)

program = Program(
    name="negation",
    fingerprint="639211ff170c5bb1",
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
            ordered=True,
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
        Query(name="by_source", streams=["link1", "link2"], format="log", path="out/by_source.log"),
        Query(name="other", streams=["link1", "link2"], format="log", path="out/other.log"),
        Query(name="both", streams=["link1", "link2"], format="log", path="out/both.log"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = e.elements("link1", ordered=True)
    # w2 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 2000)
    # p3 Project src, nbytes                    WKS  stateless: rows keep their order and their ends
    p3 = select(w2, {"src": "`src`", "nbytes": "`nbytes`"})
    # s4 Scan link2                               MON  each row valid from its order value on
    s4 = e.elements("link2")
    # w5 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w5 = window_range(s4, 2000)
    # p6 Project src                            WKS  stateless: rows keep their order and their ends
    p6 = select(w5, {"src": "`src`"})
    # t7 ToPoints                      WKS  the next step needs rows that come and leave at instants
    t7 = to_points(e, "t7", p3)
    # t8 ToPoints                      WKS  the next step needs rows that come and leave at instants
    t8 = to_points(e, "t8", p6)
    # c9 SetOperation except all on src = src
    #    STR  the oldest row of a value leaves, the youngest that left comes back
    c9 = except_all_by(e, "c9", t7, t8, by=[("src", "src")], ordered=True)
    # k10 Sink by_source to log out/by_source.log as changelog  STR  every change, with its weight
    sink(
        e,
        "by_source",
        c9,
        format="log",
        path="out/by_source.log",
        mode="changelog",
        names=["src", "nbytes"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )
    # f11 Filter NOT protocol IS NULL           MON  stateless: rows keep their order and their ends
    f11 = where(s1, "NOT `protocol` IS NULL")
    # w12 Window range 2000  WKS  every row lives equally long: the window is the tail of the stream
    w12 = window_range(f11, 2000)
    # p13 Project protocol AS in_protocol, nbytes AS in_nbytes
    #     WKS  stateless: rows keep their order and their ends
    p13 = select(w5, {"in_protocol": "`protocol`", "in_nbytes": "`nbytes`"})
    # t14 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t14 = to_points(e, "t14", p13)
    # t15 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t15 = to_points(e, "t15", w12)
    # x16 SemiJoin without a match on protocol = in_protocol AND in_nbytes > nbytes
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x16 = anti_join(
        e,
        "x16",
        t15,
        t14,
        equal=[("protocol", "in_protocol")],
        condition="`in_nbytes` > `nbytes`",
    )
    # f17 Filter protocol IS NULL               MON  stateless: rows keep their order and their ends
    f17 = where(s4, "`protocol` IS NULL")
    # w18 Window range 2000  WKS  every row lives equally long: the window is the tail of the stream
    w18 = window_range(f17, 2000)
    # p19 Project nbytes AS in_nbytes           WKS  stateless: rows keep their order and their ends
    p19 = select(w18, {"in_nbytes": "`nbytes`"})
    # t20 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t20 = to_points(e, "t20", p19)
    # x21 SemiJoin without a match on in_nbytes > nbytes
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x21 = anti_join(e, "x21", x16, t20, equal=[], condition="`in_nbytes` > `nbytes`")
    # p22 Project src                           STR  stateless: rows keep their order and their ends
    p22 = select(x21, {"src": "`src`"})
    # f23 Filter protocol IS NULL               MON  stateless: rows keep their order and their ends
    f23 = where(s1, "`protocol` IS NULL")
    # w24 Window range 2000  WKS  every row lives equally long: the window is the tail of the stream
    w24 = window_range(f23, 2000)
    # t25 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t25 = to_points(e, "t25", w24)
    # x26 SemiJoin without a match on in_nbytes > nbytes
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x26 = anti_join(e, "x26", t25, t14, equal=[], condition="`in_nbytes` > `nbytes`")
    # p27 Project src                           STR  stateless: rows keep their order and their ends
    p27 = select(x26, {"src": "`src`"})
    # u28 Union                                   STR  stateless: as complex as its inputs together
    u28 = union_all(p22, p27)
    # k29 Sink other to log out/other.log as changelog  STR  every change, with its weight
    sink(
        e,
        "other",
        u28,
        format="log",
        path="out/other.log",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )
    # p30 Project src AS in_src                 WKS  stateless: rows keep their order and their ends
    p30 = select(w5, {"in_src": "`src`"})
    # t31 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t31 = to_points(e, "t31", p30)
    # m32 SemiJoin with a match on src = in_src   STR  a row is there while a match is
    m32 = semi_join(e, "m32", w2, t31, equal=[("src", "in_src")], span=2000)
    # p33 Project src                           STR  stateless: rows keep their order and their ends
    p33 = select(m32, {"src": "`src`"})
    # c34 SetOperation intersect all              STR  copies of each row are counted on both sides
    c34 = intersect_all(e, "c34", p33, t8)
    # k35 Sink both to log out/both.log as changelog  STR  every change, with its weight
    sink(
        e,
        "both",
        c34,
        format="log",
        path="out/both.log",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
