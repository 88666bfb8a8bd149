"""istream.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit istream.py --checkpoint DIR [--drain | --until T]
    python istream.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    istream,
    select,
    sink,
    to_points,
    window_range,
)

program = Program(
    name="istream",
    fingerprint="6c26af8bf1511963",
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
            keep=60_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="istream", streams=["quotes"], format="log", path="out/in.log")],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 60_000_000)
    # p3 Project symbol, price                  WKS  stateless: rows keep their order and their ends
    p3 = select(w2, {"symbol": "`symbol`", "price": "`price`"})
    # t4 ToPoints                      WKS  the next step needs rows that come and leave at instants
    t4 = to_points(e, "t4", p3)
    # i5 Report istream                           MON  rows that enter the answer
    i5 = istream(e, "i5", t4)
    # k6 Sink istream to log out/in.log as changelog  MON  every change, with its weight
    sink(
        e,
        "istream",
        i5,
        format="log",
        path="out/in.log",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
