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
    fingerprint="25502a394bb970c5",
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
        Query(name="most", streams=["quotes"], format="memory"),
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
    # w10 Window now                              WKS  valid for one tick
    w10 = window_now(a5)
    # p11 Project n AS c_n                      WKS  stateless: rows keep their order and their ends
    p11 = select(w10, {"c_n": "`n`"})
    # j12 Join on b_n > c_n
    #     WK   pairs end with the row that ends first; no equal columns: all pairs compared
    j12 = join(e, "j12", j9, p11, equal=[], condition="`b_n` > `c_n`")
    # p13 Project symbol AS one, b_symbol AS other, b_n AS m
    #     WK   stateless: rows keep their order and their ends
    p13 = select(j12, {"one": "`symbol`", "other": "`b_symbol`", "m": "`b_n`"})
    # j14 Join on one = symbol       WK   pairs end with the row that ends first: no negative tuples
    j14 = shared(e, join(e, "j14", p13, w2, equal=[("one", "symbol")]), at_once=True)
    # t15 ToPoints                     WK   the next step needs rows that come and leave at instants
    t15 = to_points(e, "t15", j14)
    # g16 Group by one, symbol, other, m: MAX(price) AS price
    #     WK   MAX cannot be subtracted: touched groups are read again
    g16 = group(
        e,
        "g16",
        t15,
        keys={"one": "`one`", "symbol": "`symbol`", "other": "`other`", "m": "`m`"},
        aggregates={"price": aggregate("max", "`price`", "DOUBLE", "DOUBLE")},
        by="contents",
    )
    # i17 Report istream                          MON  rows that enter the answer
    i17 = istream(e, "i17", g16)
    # a18 AsStream                                MON  reported rows are elements again
    a18 = as_stream(i17)
    # w19 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w19 = window_range(a18, 60_000_000)
    # w20 Window now                              WKS  valid for one tick
    w20 = window_now(s1)
    # p21 Project symbol AS q_symbol, price AS q_price
    #     WKS  stateless: rows keep their order and their ends
    p21 = select(w20, {"q_symbol": "`symbol`", "q_price": "`price`"})
    # j22 Join on other = q_symbol AND price < q_price
    #     WK   pairs end with the row that ends first: no negative tuples
    j22 = join(e, "j22", w19, p21, equal=[("other", "q_symbol")], condition="`price` < `q_price`")
    # g23 Group by one: COUNT(*) AS n             WK   what leaves can be subtracted exactly
    g23 = group(
        e,
        "g23",
        j22,
        keys={"one": "`one`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # i24 Report istream                          MON  rows that enter the answer
    i24 = computed(e, istream(e, "i24", g23))
    # a25 AsStream                                MON  reported rows are elements again
    a25 = as_stream(i24)
    # w26 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w26 = window_range(a25, 60_000_000)
    # t27 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t27 = to_points(e, "t27", w26)
    # g28 Group by one: MAX(n) AS n     WK   MAX cannot be subtracted: touched groups are read again
    g28 = group(
        e,
        "g28",
        t27,
        keys={"one": "`one`"},
        aggregates={"n": aggregate("max", "`n`", "BIGINT", "BIGINT")},
        by="contents",
    )
    # k29 Sink most to memory as changelog        WK   every change, with its weight
    sink(
        e,
        "most",
        g28,
        format="memory",
        path=None,
        mode="changelog",
        names=["one", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # j30 Join on other = q_symbol   WK   pairs end with the row that ends first: no negative tuples
    j30 = join(e, "j30", j14, p21, equal=[("other", "q_symbol")])
    # p31 Project one, symbol, other, m, price, q_price AS last
    #     WK   stateless: rows keep their order and their ends
    p31 = select(
        j30,
        {
            "one": "`one`",
            "symbol": "`symbol`",
            "other": "`other`",
            "m": "`m`",
            "price": "`price`",
            "last": "`q_price`",
        },
    )
    # k32 Sink sold to parquet out/sold as changelog  WK   every change, with its weight
    sink(
        e,
        "sold",
        p31,
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
