"""elements.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit elements.py --checkpoint DIR [--drain | --until T]
    python elements.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    distinct,
    hold,
    join_points,
    reconstitute,
    select,
    sink,
    to_points,
    where,
)

program = Program(
    name="elements",
    fingerprint="0e137875dd4d3013",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="feed",
            format="json",
            path="data/feed/",
            schema=(
                "`v` BIGINT, `s` STRING, `kind` STRING, `vs` TIMESTAMP, `ve` TIMESTAMP, `old_ve` "
                "TIMESTAMP"
            ),
            columns=["v", "s", "kind", "vs", "ve", "old_ve"],
            order="vs",
            ordered=True,
            elements=["kind", "vs", "ve", "old_ve"],
        ),
        Stream(
            name="inserts",
            format="parquet",
            path="data/inserts/",
            schema="`s` STRING, `kind` STRING, `vs` TIMESTAMP, `ve` TIMESTAMP, `old_ve` TIMESTAMP",
            columns=["s", "kind", "vs", "ve", "old_ve"],
            order="vs",
            ordered=True,
            elements=["kind", "vs", "ve", "old_ve"],
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="pairs", streams=["feed", "inserts"], format="json", path="out/pairs"),
        Query(name="latest", streams=["inserts"], format="parquet", path="out/latest"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan feed                                MON  each row valid from its order value on
    s1 = e.elements("feed", ordered=True)
    # v2 Reconstitution events of feed
    #    STR  adjusts end events whenever they like, from the last stable on
    v2 = reconstitute(
        e,
        "v2",
        s1,
        of="feed",
        columns=["v", "s"],
        elements=["kind", "vs", "ve", "old_ve"],
    )
    # f3 Filter v > 3                           STR  stateless: rows keep their order and their ends
    f3 = where(v2, "`v` > 3")
    # s4 Scan inserts                             MON  each row valid from its order value on
    s4 = e.elements("inserts", ordered=True)
    # v5 Reconstitution events of inserts         WK   every event brings its end
    v5 = reconstitute(
        e,
        "v5",
        s4,
        of="inserts",
        columns=["s"],
        elements=["kind", "vs", "ve", "old_ve"],
        insert_only=True,
    )
    # p6 Project s AS b_s                       WK   stateless: rows keep their order and their ends
    p6 = select(v5, {"b_s": "`s`"})
    # t7 ToPoints                      WK   the next step needs rows that come and leave at instants
    t7 = to_points(e, "t7", p6)
    # j8 Join on s = b_s                          STR  an input can be taken back: pairs are, too
    j8 = join_points(e, "j8", f3, t7, equal=[("s", "b_s")])
    # p9 Project v, b_s AS s                    STR  stateless: rows keep their order and their ends
    p9 = select(j8, {"v": "`v`", "s": "`b_s`"})
    # k10 Sink pairs to json out/pairs as elements
    #     STR  a physical stream: inserts, adjusts, and what is frozen as stables
    sink(
        e,
        "pairs",
        p9,
        format="json",
        path="out/pairs",
        mode="elements",
        names=["v", "s"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # d11 Distinct              WK   ends are announced: δ* keeps covered intervals, never the input
    d11 = distinct(e, "d11", v5)
    # h12 Hold until now                WK   rows that start later than `now` wait for their instant
    h12 = hold(e, "h12", d11, until="now")
    # k13 Sink latest to parquet out/latest as elements
    #     WK   a physical stream: inserts, adjusts, and what is frozen as stables
    sink(
        e,
        "latest",
        h12,
        format="parquet",
        path="out/latest",
        mode="elements",
        names=["s"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
