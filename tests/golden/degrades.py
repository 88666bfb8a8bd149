"""degrades.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit degrades.py --checkpoint DIR [--drain | --until T]
    python degrades.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Merge, Program, Query, Stream, merged, select, sink

program = Program(
    name="degrades",
    fingerprint="4c164b33f543a793",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="a",
            format="json",
            path="in/a",
            schema="`t` BIGINT, `k` STRING",
            columns=["t", "k"],
            order="t",
            timestamps=False,
            strict=True,
            merged=True,
        ),
        Stream(
            name="b",
            format="json",
            path="in/b",
            schema="`t` BIGINT, `k` STRING",
            columns=["t", "k"],
            order="t",
            timestamps=False,
            strict=True,
            merged=True,
        ),
    ],
    nrrs=[],
    queries=[Query(name="q", streams=["m"], format="log", path="out/q.log")],
    degrades=True,
    merges=[
        Merge(
            name="m",
            inputs={"m.a": ["a"], "m.b": ["b"]},
            promised={"m.a": "ORDER BY t STRICT", "m.b": "ORDER BY t STRICT"},
        ),
    ],
)


@program.epoch
def epoch(e):
    e1 = e.part("m.a")
    e2 = e.part("m.b")
    # s1 Scan a                                   MON  each row valid from its order value on
    s1 = e1.elements("a")
    # s2 Scan b                                   MON  each row valid from its order value on
    s2 = e2.elements("b")
    # l3 Merge m of a, b
    #    MON  merged by R0; policy EAGER; merged frontier: the furthest of a, b; checked: a: ORDER…
    l3 = merged(e, "l3", {"m.a": s1, "m.b": s2}, of="m", variant="R0", rows=True)
    # p4 Project k                              MON  stateless: rows keep their order and their ends
    p4 = select(l3, {"k": "`k`"})
    # k5 Sink q to log out/q.log as changelog     MON  every change, with its weight
    sink(
        e,
        "q",
        p4,
        format="log",
        path="out/q.log",
        mode="changelog",
        names=["k"],
        key=[],
        emit="changes",
        timestamps=False,
        options={},
    )


if __name__ == "__main__":
    program.main()
