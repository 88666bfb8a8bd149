"""slide.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit slide.py --checkpoint DIR [--drain | --until T]
    python slide.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Program, Query, Stream, hold, select, sink, window_range

program = Program(
    name="slide",
    fingerprint="7bd57fbbea0aa5ef",
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
    queries=[Query(name="slide", streams=["quotes"], format="parquet", path="out/slides")],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 2 MINUTES slide 1 MINUTE    WKS  both ends rounded up to the slide
    w2 = window_range(s1, 120_000_000, slide=60_000_000)
    # p3 Project symbol, price                  WKS  stateless: rows keep their order and their ends
    p3 = select(w2, {"symbol": "`symbol`", "price": "`price`"})
    # h4 Hold until now                 WKS  rows that start later than `now` wait for their instant
    h4 = hold(e, "h4", p3, until="now")
    # k5 Sink slide to parquet out/slides as changelog  WKS  every change, with its weight
    sink(
        e,
        "slide",
        h4,
        format="parquet",
        path="out/slides",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
