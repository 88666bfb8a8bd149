"""nrr.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit nrr.py --checkpoint DIR [--drain | --until T]
    python nrr.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Nrr,
    Program,
    Query,
    Stream,
    nrr_join,
    select,
    sink,
    where,
    window_range,
)

program = Program(
    name="nrr",
    fingerprint="794b1959d6e3770c",
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
    nrrs=[
        Nrr(
            name="companies",
            format="csv",
            path="data/companies.csv",
            schema="`symbol` STRING, `name` STRING",
            columns=["symbol", "name"],
            key=["symbol"],
        ),
    ],
    queries=[Query(name="nrr", streams=["quotes"], format="parquet", path="out/named")],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # f2 Filter price > 1                       MON  stateless: rows keep their order and their ends
    f2 = where(s1, "`price` > 1")
    # w3 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w3 = window_range(f2, 60_000_000)
    # n4 NrrJoin companies on symbol = c_symbol AND name LIKE 'I%'
    #    WKS  the version pinned when the row arrived: no state
    n4 = nrr_join(
        e,
        "n4",
        w3,
        "companies",
        columns={"c_symbol": "symbol", "name": "name"},
        equal=[("symbol", "c_symbol")],
        condition="`name` LIKE 'I%'",
    )
    # p5 Project symbol, name, price            WKS  stateless: rows keep their order and their ends
    p5 = select(n4, {"symbol": "`symbol`", "name": "`name`", "price": "`price`"})
    # k6 Sink nrr to parquet out/named as changelog  WKS  every change, with its weight
    sink(
        e,
        "nrr",
        p5,
        format="parquet",
        path="out/named",
        mode="changelog",
        names=["symbol", "name", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
