"""panes.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit panes.py --checkpoint DIR [--drain | --until T]
    python panes.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    group,
    sink,
    where,
    window_range,
)

program = Program(
    name="panes",
    fingerprint="d363d6fb0582e1f8",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="csv",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE, `shares` INT",
            columns=["symbol", "price"],
            order="ts",
            within=10_000_000,
            max_ahead=86_400_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="avg5", streams=["quotes"], every=5_000_000, format="parquet", path="out/avg5"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 5 MINUTES slide 1 MINUTE    WKS  both ends rounded up to the slide
    w2 = window_range(s1, 300_000_000, slide=60_000_000)
    # g3 Group by symbol: AVG(price) AS price, COUNT(*) AS n
    #    WK   window with SLIDE: one partial per group and pane, no archive
    g3 = group(
        e,
        "g3",
        w2,
        keys={"symbol": "`symbol`"},
        aggregates={
            "price": aggregate("avg", "`price`", "DOUBLE", "DOUBLE"),
            "n": aggregate("count"),
        },
        by="panes",
    )
    # f4 Filter n > 3                           STR  stateless: rows keep their order and their ends
    f4 = where(g3, "`n` > 3")
    # k5 Sink avg5 to parquet out/avg5 as changelog  STR  every change, with its weight
    sink(
        e,
        "avg5",
        f4,
        format="parquet",
        path="out/avg5",
        mode="changelog",
        names=["symbol", "price", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
