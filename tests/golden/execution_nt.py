"""execution_nt.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit execution_nt.py --checkpoint DIR [--drain | --until T]
    python execution_nt.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    distinct_points,
    join_points,
    select,
    sink,
    to_points,
    window_range,
)

program = Program(
    name="execution_nt",
    fingerprint="f8959c4aa36e92bb",
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
            keep=2000,
        ),
        Stream(
            name="link2",
            format="csv",
            path="data/link2/",
            schema="`ts` BIGINT, `src` STRING",
            columns=["src"],
            order="ts",
            timestamps=False,
            keep=2000,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="execution_nt", streams=["link1", "link2"], format="parquet", path="out/both"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = e.elements("link1")
    # w2 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 2000)
    # t3 ToPoints                           WKS  SET execution = 'nt': a negative tuple for each end
    t3 = to_points(e, "t3", w2)
    # p4 Project src                            WKS  stateless: rows keep their order and their ends
    p4 = select(t3, {"src": "`src`"})
    # d5 Distinct                                 WK   rows can be taken back: copies are counted
    d5 = distinct_points(e, "d5", p4)
    # s6 Scan link2                               MON  each row valid from its order value on
    s6 = e.elements("link2")
    # w7 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w7 = window_range(s6, 2000)
    # t8 ToPoints                           WKS  SET execution = 'nt': a negative tuple for each end
    t8 = to_points(e, "t8", w7)
    # p9 Project src                            WKS  stateless: rows keep their order and their ends
    p9 = select(t8, {"src": "`src`"})
    # d10 Distinct                                WK   rows can be taken back: copies are counted
    d10 = distinct_points(e, "d10", p9)
    # p11 Project src AS b_src                  WK   stateless: rows keep their order and their ends
    p11 = select(d10, {"b_src": "`src`"})
    # j12 Join on src = b_src                     WK   an input can be taken back: pairs are, too
    j12 = join_points(e, "j12", d5, p11, equal=[("src", "b_src")])
    # p13 Project src                           WK   stateless: rows keep their order and their ends
    p13 = select(j12, {"src": "`src`"})
    # k14 Sink execution_nt to parquet out/both as changelog  WK   every change, with its weight
    sink(
        e,
        "execution_nt",
        p13,
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
