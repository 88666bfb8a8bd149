"""self_join.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit self_join.py --checkpoint DIR [--drain | --until T]
    python self_join.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Program, Query, Stream, hold, join, select, sink, window_range

program = Program(
    name="self_join",
    fingerprint="f41a99728ccee370",
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
    queries=[Query(name="self_join", streams=["quotes"], format="parquet", path="out/rises")],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 60_000_000)
    # w3 Window range 10 SECONDS
    #    WKS  every row lives equally long: the window is the tail of the stream
    w3 = window_range(s1, 10_000_000)
    # p4 Project symbol AS b_symbol, price AS b_price
    #    WKS  stateless: rows keep their order and their ends
    p4 = select(w3, {"b_symbol": "`symbol`", "b_price": "`price`"})
    # j5 Join on symbol = b_symbol AND price < b_price
    #    WK   pairs end with the row that ends first: no negative tuples
    j5 = join(e, "j5", w2, p4, equal=[("symbol", "b_symbol")], condition="`price` < `b_price`")
    # p6 Project symbol, price, b_price AS later
    #    WK   stateless: rows keep their order and their ends
    p6 = select(j5, {"symbol": "`symbol`", "price": "`price`", "later": "`b_price`"})
    # h7 Hold until complete                      WK   EMIT FINAL: only what is complete in order
    h7 = hold(e, "h7", p6, until="complete")
    # k8 Sink self_join to parquet out/rises as append emit final
    #    WK   nothing is taken back: rows are appended
    sink(
        e,
        "self_join",
        h7,
        format="parquet",
        path="out/rises",
        mode="append",
        names=["symbol", "price", "later"],
        key=[],
        emit="final",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
