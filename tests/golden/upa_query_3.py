"""upa_query_3.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit upa_query_3.py --checkpoint DIR [--drain | --until T]
    python upa_query_3.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    except_all,
    select,
    sink,
    to_points,
    window_range,
)

program = Program(
    name="upa_query_3",
    fingerprint="2fcd90f02ecd273d",
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
        Query(name="upa_query_3", streams=["link1", "link2"], format="log", path="out/q3.log"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = e.elements("link1")
    # w2 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 2000)
    # p3 Project src                            WKS  stateless: rows keep their order and their ends
    p3 = select(w2, {"src": "`src`"})
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
    # c9 SetOperation except all                  STR  copies of each row are counted on both sides
    c9 = except_all(e, "c9", t7, t8)
    # k10 Sink upa_query_3 to log out/q3.log as changelog  STR  every change, with its weight
    sink(
        e,
        "upa_query_3",
        c9,
        format="log",
        path="out/q3.log",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
