"""upa_query_4.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit upa_query_4.py --checkpoint DIR [--drain | --until T]
    python upa_query_4.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    distinct,
    join,
    select,
    sink,
    to_points,
    window_range,
)

program = Program(
    name="upa_query_4",
    fingerprint="5160076eabf39a36",
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
        Stream(
            name="link2",
            format="csv",
            path="data/link2/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src"],
            order="ts",
            timestamps=False,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="upa_query_4", streams=["link1", "link2"], format="log", path="out/q4.log"),
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
    # t12 ToPoints                     WK   the next step needs rows that come and leave at instants
    t12 = to_points(e, "t12", p11)
    # k13 Sink upa_query_4 to log out/q4.log as changelog  WK   every change, with its weight
    sink(
        e,
        "upa_query_4",
        t12,
        format="log",
        path="out/q4.log",
        mode="changelog",
        names=["src"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
