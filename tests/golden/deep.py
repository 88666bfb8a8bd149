"""deep.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit deep.py --checkpoint DIR [--drain | --until T]
    python deep.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    as_stream,
    computed,
    group,
    istream,
    join,
    select,
    shared,
    sink,
    to_points,
    window_now,
    window_range,
)

program = Program(
    name="deep",
    fingerprint="ac9848e3f036c3d9",
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
    queries=[
        Query(name="met", streams=["quotes"], format="memory"),
        Query(name="sold", streams=["quotes"], format="parquet", path="out/sold"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 60_000_000)
    # g3 Group by symbol: COUNT(*) AS n           WK   what leaves can be subtracted exactly
    g3 = group(
        e,
        "g3",
        w2,
        keys={"symbol": "`symbol`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # i4 Report istream                           MON  rows that enter the answer
    i4 = istream(e, "i4", g3)
    # a5 AsStream                                 MON  reported rows are elements again
    a5 = as_stream(i4)
    # w6 Window range 5 MINUTES
    #    WKS  every row lives equally long: the window is the tail of the stream
    w6 = window_range(a5, 300_000_000)
    # w7 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w7 = window_range(a5, 60_000_000)
    # p8 Project symbol AS b_symbol, n AS b_n   WKS  stateless: rows keep their order and their ends
    p8 = select(w7, {"b_symbol": "`symbol`", "b_n": "`n`"})
    # j9 Join on n > b_n
    #    WK   pairs end with the row that ends first; no equal columns: all pairs compared
    j9 = join(e, "j9", w6, p8, equal=[], condition="`n` > `b_n`")
    # p10 Project symbol AS one, b_symbol AS other, b_n AS m
    #     WK   stateless: rows keep their order and their ends
    p10 = select(j9, {"one": "`symbol`", "other": "`b_symbol`", "m": "`b_n`"})
    # j11 Join on one = symbol       WK   pairs end with the row that ends first: no negative tuples
    j11 = shared(e, join(e, "j11", p10, w2, equal=[("one", "symbol")]), at_once=True)
    # t12 ToPoints                     WK   the next step needs rows that come and leave at instants
    t12 = to_points(e, "t12", j11)
    # g13 Group by one, symbol, other, m: MAX(price) AS price
    #     WK   MAX cannot be subtracted: touched groups are read again
    g13 = group(
        e,
        "g13",
        t12,
        keys={"one": "`one`", "symbol": "`symbol`", "other": "`other`", "m": "`m`"},
        aggregates={"price": aggregate("max", "`price`", "DOUBLE", "DOUBLE")},
        by="contents",
    )
    # i14 Report istream                          MON  rows that enter the answer
    i14 = istream(e, "i14", g13)
    # a15 AsStream                                MON  reported rows are elements again
    a15 = as_stream(i14)
    # w16 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w16 = window_range(a15, 60_000_000)
    # w17 Window now                              WKS  valid for one tick
    w17 = window_now(s1)
    # p18 Project symbol AS q_symbol, price AS q_price
    #     WKS  stateless: rows keep their order and their ends
    p18 = select(w17, {"q_symbol": "`symbol`", "q_price": "`price`"})
    # j19 Join on other = q_symbol AND price < q_price
    #     WK   pairs end with the row that ends first: no negative tuples
    j19 = computed(
        e,
        join(e, "j19", w16, p18, equal=[("other", "q_symbol")], condition="`price` < `q_price`"),
    )
    # g20 Group by one: COUNT(*) AS n             WK   what leaves can be subtracted exactly
    g20 = group(
        e,
        "g20",
        j19,
        keys={"one": "`one`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # k21 Sink met to memory as changelog         WK   every change, with its weight
    sink(
        e,
        "met",
        g20,
        format="memory",
        path=None,
        mode="changelog",
        names=["one", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # j22 Join on other = q_symbol   WK   pairs end with the row that ends first: no negative tuples
    j22 = join(e, "j22", j11, p18, equal=[("other", "q_symbol")])
    # p23 Project one, symbol, other, m, price, q_price AS last
    #     WK   stateless: rows keep their order and their ends
    p23 = select(
        j22,
        {
            "one": "`one`",
            "symbol": "`symbol`",
            "other": "`other`",
            "m": "`m`",
            "price": "`price`",
            "last": "`q_price`",
        },
    )
    # k24 Sink sold to parquet out/sold as changelog  WK   every change, with its weight
    sink(
        e,
        "sold",
        p23,
        format="parquet",
        path="out/sold",
        mode="changelog",
        names=["one", "symbol", "other", "m", "price", "last"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
