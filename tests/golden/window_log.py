"""window_log.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit window_log.py --checkpoint DIR [--drain | --until T]
    python window_log.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    select,
    sink,
    to_points,
    where,
    window_range,
)

program = Program(
    name="window_log",
    fingerprint="5e7eed1ff68a94f8",
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
            keep=300_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="window_log", streams=["quotes"], format="log", path="out/recent.log")],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # f2 Filter price > 10                      MON  stateless: rows keep their order and their ends
    f2 = where(s1, "`price` > 10")
    # w3 Window range 5 MINUTES
    #    WKS  every row lives equally long: the window is the tail of the stream
    w3 = window_range(f2, 300_000_000)
    # p4 Project symbol, price                  WKS  stateless: rows keep their order and their ends
    p4 = select(w3, {"symbol": "`symbol`", "price": "`price`"})
    # t5 ToPoints                      WKS  the next step needs rows that come and leave at instants
    t5 = to_points(e, "t5", p4)
    # k6 Sink window_log to log out/recent.log as changelog  WKS  every change, with its weight
    sink(
        e,
        "window_log",
        t5,
        format="log",
        path="out/recent.log",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
