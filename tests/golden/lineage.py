"""lineage.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit lineage.py --checkpoint DIR [--drain | --until T]
    python lineage.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    as_stream,
    distinct,
    group,
    istream,
    join,
    join_points,
    rows_window,
    select,
    sink,
    to_points,
    where,
    window_now,
    window_range,
)

program = Program(
    name="lineage",
    fingerprint="db23b70560615ed3",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="json",
            path="quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE",
            columns=["ts", "symbol", "price"],
            order="ts",
            within=2_000_000,
            max_ahead=86_400_000_000,
            ordered=True,
            keep=60_000_000,
            kept=3_600_000_000,
        ),
        Stream(
            name="news",
            format="json",
            path="news/",
            schema="`ts` TIMESTAMP, `symbol` STRING",
            columns=["symbol"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=600_000_000,
            kept=1_800_000_000,
        ),
        Stream(
            name="trades",
            format="json",
            path="trades/",
            schema="`ts` TIMESTAMP, `symbol` STRING",
            columns=["symbol"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=1,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="advice", streams=["quotes"], format="parquet", path="out/advice"),
        Query(name="told", streams=["news", "quotes", "trades"], format="parquet", path="out/told"),
        Query(name="entered", streams=["news"], format="log", path="out/entered.log"),
        Query(name="counted", streams=["news"], format="parquet", path="out/counted"),
        Query(name="last", streams=["quotes"], format="parquet", path="out/last"),
        Query(name="passed", streams=["quotes"], format="log", path="out/passed.log"),
        Query(name="of_trades", streams=["trades"], format="parquet", path="out/of_trades"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes", ordered=True)
    # f2 Filter symbol = 'IBM'                  MON  stateless: rows keep their order and their ends
    f2 = where(s1, "`symbol` = 'IBM'")
    # w3 Window range 1 MINUTE slide 1 MINUTE     WKS  both ends rounded up to the slide
    w3 = window_range(f2, 60_000_000, slide=60_000_000)
    # g4 Group of all: AVG(price) AS p
    #    WK   window with SLIDE: one partial per group and pane, no archive
    g4 = group(
        e,
        "g4",
        w3,
        keys={},
        aggregates={"p": aggregate("avg", "`price`", "DOUBLE", "DOUBLE")},
        by="panes",
        streams=["quotes"],
    )
    # w5 Window range 5 MINUTES slide 1 MINUTE    WKS  both ends rounded up to the slide
    w5 = window_range(f2, 300_000_000, slide=60_000_000)
    # g6 Group of all: AVG(price) AS p
    #    WK   window with SLIDE: one partial per group and pane, no archive
    g6 = group(
        e,
        "g6",
        w5,
        keys={},
        aggregates={"p": aggregate("avg", "`price`", "DOUBLE", "DOUBLE")},
        by="panes",
        streams=["quotes"],
    )
    # p7 Project p AS l_p                       WK   stateless: rows keep their order and their ends
    p7 = select(g6, {"l_p": "`p`"})
    # j8 Join all pairs                           STR  an input can be taken back: pairs are, too
    j8 = join_points(e, "j8", g4, p7, equal=[])
    # p9 Project CASE WHEN p > l_p THEN 'BUY' ELSE 'SELL' END AS advice
    #    STR  stateless: rows keep their order and their ends
    p9 = select(j8, {"advice": "CASE WHEN `p` > `l_p` THEN 'BUY' ELSE 'SELL' END"})
    # k10 Sink advice to parquet out/advice as changelog  STR  every change, with its weight
    sink(
        e,
        "advice",
        p9,
        format="parquet",
        path="out/advice",
        mode="changelog",
        names=["advice"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w11 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w11 = window_range(s1, 60_000_000)
    # s12 Scan news                               MON  each row valid from its order value on
    s12 = e.elements("news")
    # w13 Window range 10 MINUTES
    #     WKS  every row lives equally long: the window is the tail of the stream
    w13 = window_range(s12, 600_000_000)
    # p14 Project symbol AS n_symbol            WKS  stateless: rows keep their order and their ends
    p14 = select(w13, {"n_symbol": "`symbol`"})
    # j15 Join on symbol = n_symbol  WK   pairs end with the row that ends first: no negative tuples
    j15 = join(e, "j15", w11, p14, equal=[("symbol", "n_symbol")])
    # s16 Scan trades                             MON  each row valid from its order value on
    s16 = e.elements("trades")
    # w17 Window now                              WKS  valid for one tick
    w17 = window_now(s16)
    # p18 Project symbol AS t_symbol            WKS  stateless: rows keep their order and their ends
    p18 = select(w17, {"t_symbol": "`symbol`"})
    # j19 Join on n_symbol = t_symbol
    #     WK   pairs end with the row that ends first: no negative tuples
    j19 = join(e, "j19", j15, p18, equal=[("n_symbol", "t_symbol")])
    # p20 Project symbol                        WK   stateless: rows keep their order and their ends
    p20 = select(j19, {"symbol": "`symbol`"})
    # k21 Sink told to parquet out/told as changelog  WK   every change, with its weight
    sink(
        e,
        "told",
        p20,
        format="parquet",
        path="out/told",
        mode="changelog",
        names=["symbol"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w22 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w22 = window_range(s12, 60_000_000)
    # p23 Project symbol                        WKS  stateless: rows keep their order and their ends
    p23 = select(w22, {"symbol": "`symbol`"})
    # d24 Distinct              WK   ends are announced: δ* keeps covered intervals, never the input
    d24 = distinct(e, "d24", p23)
    # t25 ToPoints                     WK   the next step needs rows that come and leave at instants
    t25 = to_points(e, "t25", d24)
    # i26 Report istream                          MON  rows that enter the answer
    i26 = istream(e, "i26", t25)
    # a27 AsStream                                MON  reported rows are elements again
    a27 = as_stream(i26)
    # w28 Window range 2 MINUTES
    #     WKS  every row lives equally long: the window is the tail of the stream
    w28 = window_range(a27, 120_000_000)
    # t29 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t29 = to_points(e, "t29", w28)
    # k30 Sink entered to log out/entered.log as changelog  WKS  every change, with its weight
    sink(
        e,
        "entered",
        t29,
        format="log",
        path="out/entered.log",
        mode="changelog",
        names=["symbol"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # g31 Group by symbol: COUNT(*) AS n         WK   nothing ever leaves: one accumulator per group
    g31 = group(
        e,
        "g31",
        s12,
        keys={"symbol": "`symbol`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # k32 Sink counted to parquet out/counted as changelog  WK   every change, with its weight
    sink(
        e,
        "counted",
        g31,
        format="parquet",
        path="out/counted",
        mode="changelog",
        names=["symbol", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w33 RowsWindow rows 1 by symbol     WK   a row ends when later rows have come: known only then
    w33 = rows_window(e, "w33", s1, rows=1, by=["`symbol`"])
    # p34 Project symbol, price                 WK   stateless: rows keep their order and their ends
    p34 = select(w33, {"symbol": "`symbol`", "price": "`price`"})
    # k35 Sink last to parquet out/last as changelog  WK   every change, with its weight
    sink(
        e,
        "last",
        p34,
        format="parquet",
        path="out/last",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # f36 Filter price > 100                    MON  stateless: rows keep their order and their ends
    f36 = where(s1, "`price` > 100")
    # p37 Project ts, symbol                    MON  stateless: rows keep their order and their ends
    p37 = select(f36, {"ts": "`ts`", "symbol": "`symbol`"})
    # k38 Sink passed to log out/passed.log as changelog  MON  every change, with its weight
    sink(
        e,
        "passed",
        p37,
        format="log",
        path="out/passed.log",
        mode="changelog",
        names=["ts", "symbol"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w39 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w39 = window_range(s16, 60_000_000)
    # p40 Project symbol                        WKS  stateless: rows keep their order and their ends
    p40 = select(w39, {"symbol": "`symbol`"})
    # k41 Sink of_trades to parquet out/of_trades as changelog  WKS  every change, with its weight
    sink(
        e,
        "of_trades",
        p40,
        format="parquet",
        path="out/of_trades",
        mode="changelog",
        names=["symbol"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
