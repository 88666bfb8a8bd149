"""execution_direct.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit execution_direct.py --checkpoint DIR [--drain | --until T]
    python execution_direct.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Expiration,
    Program,
    Query,
    Stream,
    distinct_stored,
    hold,
    join,
    select,
    sink,
    window_range,
)

program = Program(
    name="execution_direct",
    fingerprint="8838bdeb93d82125",
    timezone="UTC",
    settings={"spark.sql.parquet.filterPushdown": "false"},
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
        Query(
            name="execution_direct",
            streams=["link1", "link2"],
            format="parquet",
            path="out/both",
        ),
    ],
    expiration=Expiration(scans=True),
)


@program.epoch
def epoch(e):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = e.elements("link1")
    # w2 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 2000)
    # p3 Project src                            WKS  stateless: rows keep their order and their ends
    p3 = select(w2, {"src": "`src`"})
    # d4 Distinct
    #    WK   SET execution = 'direct': the rows that stand for a value are found in the input
    d4 = distinct_stored(e, "d4", p3)
    # s5 Scan link2                               MON  each row valid from its order value on
    s5 = e.elements("link2")
    # w6 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w6 = window_range(s5, 2000)
    # p7 Project src                            WKS  stateless: rows keep their order and their ends
    p7 = select(w6, {"src": "`src`"})
    # d8 Distinct
    #    WK   SET execution = 'direct': the rows that stand for a value are found in the input
    d8 = distinct_stored(e, "d8", p7)
    # p9 Project src AS b_src                   WK   stateless: rows keep their order and their ends
    p9 = select(d8, {"b_src": "`src`"})
    # j10 Join on src = b_src        WK   pairs end with the row that ends first: no negative tuples
    j10 = join(e, "j10", d4, p9, equal=[("src", "b_src")])
    # p11 Project src                           WK   stateless: rows keep their order and their ends
    p11 = select(j10, {"src": "`src`"})
    # h12 Hold until now                WK   rows that start later than `now` wait for their instant
    h12 = hold(e, "h12", p11, until="now")
    # k13 Sink execution_direct to parquet out/both as changelog  WK   every change, with its weight
    sink(
        e,
        "execution_direct",
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
