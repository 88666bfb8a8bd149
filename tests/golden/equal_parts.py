"""equal_parts.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit equal_parts.py --checkpoint DIR [--drain | --until T]
    python equal_parts.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    group,
    join,
    select,
    shared,
    sink,
    window_range,
)

program = Program(
    name="equal_parts",
    fingerprint="1d694eba6bc1eee8",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="link1",
            format="csv",
            path="data/link1/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING",
            columns=["src", "protocol"],
            order="ts",
            timestamps=False,
            keep=2000,
        ),
        Stream(
            name="link2",
            format="csv",
            path="data/link2/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING",
            columns=["src", "protocol"],
            order="ts",
            timestamps=False,
            keep=2000,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="pairs", streams=["link1", "link2"], format="parquet", path="out/pairs"),
        Query(name="counted", streams=["link1", "link2"], format="log", path="out/counted.log"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = e.elements("link1")
    # w2 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 2000)
    # s3 Scan link2                               MON  each row valid from its order value on
    s3 = e.elements("link2")
    # w4 Window range 2000   WKS  every row lives equally long: the window is the tail of the stream
    w4 = window_range(s3, 2000)
    # p5 Project src AS b_src, protocol AS b_protocol
    #    WKS  stateless: rows keep their order and their ends
    p5 = select(w4, {"b_src": "`src`", "b_protocol": "`protocol`"})
    # j6 Join on src = b_src         WK   pairs end with the row that ends first: no negative tuples
    j6 = shared(e, join(e, "j6", w2, p5, equal=[("src", "b_src")]))
    # p7 Project src, protocol AS one, b_protocol AS other
    #    WK   stateless: rows keep their order and their ends
    p7 = select(j6, {"src": "`src`", "one": "`protocol`", "other": "`b_protocol`"})
    # k8 Sink pairs to parquet out/pairs as changelog  WK   every change, with its weight
    sink(
        e,
        "pairs",
        p7,
        format="parquet",
        path="out/pairs",
        mode="changelog",
        names=["src", "one", "other"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )
    # p9 Project src, protocol, b_protocol AS y_protocol
    #    WK   stateless: rows keep their order and their ends
    p9 = select(j6, {"src": "`src`", "protocol": "`protocol`", "y_protocol": "`b_protocol`"})
    # g10 Group by src, protocol, y_protocol AS theirs: COUNT(*) AS n
    #     WK   what leaves can be subtracted exactly
    g10 = group(
        e,
        "g10",
        p9,
        keys={"src": "`src`", "protocol": "`protocol`", "theirs": "`y_protocol`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # k11 Sink counted to log out/counted.log as changelog  WK   every change, with its weight
    sink(
        e,
        "counted",
        g10,
        format="log",
        path="out/counted.log",
        mode="changelog",
        names=["src", "protocol", "theirs", "n"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
