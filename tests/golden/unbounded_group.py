"""unbounded_group.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit unbounded_group.py --checkpoint DIR [--drain | --until T]
    python unbounded_group.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Program, Query, Stream, aggregate, group, sink, window_unbounded

program = Program(
    name="unbounded_group",
    fingerprint="b34826a106fa4d62",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="csv",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE, `shares` INT",
            columns=["price"],
            order="ts",
            within=10_000_000,
            max_ahead=86_400_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="unbounded_group", streams=["quotes"])],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window unbounded                         MON  nothing ends
    w2 = window_unbounded(s1)
    # g3 Group of all: COUNT(*) AS n, MAX(price) AS top
    #    WK   nothing ever leaves: one accumulator per group
    g3 = group(
        e,
        "g3",
        w2,
        keys={},
        aggregates={
            "n": aggregate("count"),
            "top": aggregate("max", "`price`", "DOUBLE", "DOUBLE"),
        },
        by="accumulators",
    )
    # k4 Sink unbounded_group to console as changelog  WK   every change, with its weight
    sink(
        e,
        "unbounded_group",
        g3,
        format="console",
        path=None,
        mode="changelog",
        names=["n", "top"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
