"""copies.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit copies.py --checkpoint DIR [--drain | --until T]
    python copies.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Merge,
    Program,
    Query,
    Stream,
    merged,
    reconstitute,
    sink,
    unjudged,
    where,
)

program = Program(
    name="copies",
    fingerprint="45712e0284732d40",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="a",
            format="parquet",
            path="in/a",
            schema="`n` INT, `s` STRING, `kind` STRING, `vs` BIGINT, `ve` BIGINT, `old_ve` BIGINT",
            columns=["n", "s", "kind", "vs", "ve", "old_ve"],
            order="vs",
            timestamps=False,
            ordered=True,
            elements=["kind", "vs", "ve", "old_ve"],
            merged=True,
        ),
        Stream(
            name="b",
            format="parquet",
            path="in/b",
            schema="`n` INT, `s` STRING, `kind` STRING, `vs` BIGINT, `ve` BIGINT, `old_ve` BIGINT",
            columns=["n", "s", "kind", "vs", "ve", "old_ve"],
            order="vs",
            timestamps=False,
            ordered=True,
            elements=["kind", "vs", "ve", "old_ve"],
            merged=True,
        ),
        Stream(
            name="c",
            format="parquet",
            path="in/c",
            schema="`n` INT, `s` STRING, `kind` STRING, `vs` BIGINT, `ve` BIGINT, `old_ve` BIGINT",
            columns=["n", "s", "kind", "vs", "ve", "old_ve"],
            order="vs",
            timestamps=False,
            ordered=True,
            elements=["kind", "vs", "ve", "old_ve"],
            merged=True,
        ),
    ],
    nrrs=[],
    queries=[Query(name="both", streams=["again"], format="parquet", path="out/both")],
    merges=[
        Merge(
            name="merged",
            inputs={
                "again.merged.merged.a": ["a"],
                "again.merged.merged.known": ["b"],
                "again.merged.merged.c": ["c"],
            },
            section="again.merged",
            promised={
                "again.merged.merged.a": "DISTINCT ROWS",
                "again.merged.merged.known": "DISTINCT ROWS",
            },
        ),
        Merge(
            name="again",
            inputs={"again.merged": ["merged"], "again.a": ["a"]},
            promised={"again.a": "DISTINCT ROWS"},
        ),
    ],
)


@program.epoch
def epoch(e):
    e1 = e.part("again.merged.merged.a")
    e2 = e.part("again.merged.merged.known")
    e3 = e.part("again.merged.merged.c")
    e4 = e.part("again.merged")
    e5 = e.part("again.a")
    # s1 Scan a                                   MON  each row valid from its order value on
    s1 = e1.elements("a", ordered=True)
    # v2 Reconstitution events of a          STR  events as they are told: adjusts change their ends
    v2 = unjudged(
        e1,
        s1,
        of="a",
        columns=["n", "s"],
        elements=["kind", "vs", "ve", "old_ve"],
        timestamps=False,
    )
    # s3 Scan b                                   MON  each row valid from its order value on
    s3 = e2.elements("b", ordered=True)
    # v4 Reconstitution events of b          STR  events as they are told: adjusts change their ends
    v4 = reconstitute(
        e2,
        "v4",
        s3,
        of="b",
        columns=["n", "s"],
        elements=["kind", "vs", "ve", "old_ve"],
        timestamps=False,
        as_told=True,
    )
    # f5 Filter NOT n IS NULL                   STR  stateless: rows keep their order and their ends
    f5 = where(v4, "NOT `n` IS NULL")
    # s6 Scan c                                   MON  each row valid from its order value on
    s6 = e3.elements("c", ordered=True)
    # v7 Reconstitution events of c          STR  events as they are told: adjusts change their ends
    v7 = reconstitute(
        e3,
        "v7",
        s6,
        of="c",
        columns=["n", "s"],
        elements=["kind", "vs", "ve", "old_ve"],
        timestamps=False,
        as_told=True,
    )
    # l8 Merge merged of a, known, CLEANSE (c)
    #    STR  merged by R3 (not R2: a: in no order, a: ends told later, known: in no order, known:…
    l8 = merged(
        e4,
        "l8",
        {"again.merged.merged.a": v2, "again.merged.merged.known": f5, "again.merged.merged.c": v7},
        of="merged",
        variant="R3",
        policy="half frozen",
        cleansed=["again.merged.merged.c"],
        as_told=True,
    )
    # s9 Scan a                                   MON  each row valid from its order value on
    s9 = e5.elements("a", ordered=True)
    # v10 Reconstitution events of a         STR  events as they are told: adjusts change their ends
    v10 = unjudged(
        e5,
        s9,
        of="a",
        columns=["n", "s"],
        elements=["kind", "vs", "ve", "old_ve"],
        timestamps=False,
    )
    # l11 Merge again of merged, a
    #     STR  merged by R3 (not R2: merged: in no order, merged: ends told later, a: in no order,…
    l11 = merged(
        e,
        "l11",
        {"again.merged": l8, "again.a": v10},
        of="again",
        variant="R3",
        as_told=True,
    )
    # k12 Sink both to parquet out/both as elements
    #     STR  a physical stream: inserts, adjusts, and what is frozen as stables
    sink(
        e,
        "both",
        l11,
        format="parquet",
        path="out/both",
        mode="elements",
        names=["n", "s"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
