"""rstream.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit rstream.py --checkpoint DIR [--drain | --until T]
    python rstream.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    group,
    hold,
    rstream,
    sink,
    window_range,
)

program = Program(
    name="rstream",
    fingerprint="74901784c36654c2",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="csv",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE, `shares` INT",
            columns=["symbol"],
            order="ts",
            within=10_000_000,
            max_ahead=86_400_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="rstream", streams=["quotes"])],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 DAY slide 1 DAY in UTC    WKS  both ends rounded up to the slide
    w2 = window_range(s1, 86_400_000_000, slide=86_400_000_000, zone="UTC")
    # g3 Group by symbol: COUNT(*) AS n
    #    WK   window with SLIDE: one partial per group and pane, no archive
    g3 = group(
        e,
        "g3",
        w2,
        keys={"symbol": "`symbol`"},
        aggregates={"n": aggregate("count")},
        by="panes",
    )
    # r4 Report rstream                           MON  the answer at each instant it changes
    r4 = rstream(e, "r4", g3)
    # h5 Hold until complete                      MON  EMIT FINAL: only what is complete in order
    h5 = hold(e, "h5", r4, until="complete")
    # k6 Sink rstream to console as changelog emit final  MON  every change, with its weight
    sink(
        e,
        "rstream",
        h5,
        format="console",
        path=None,
        mode="changelog",
        names=["symbol", "n"],
        key=[],
        emit="final",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
