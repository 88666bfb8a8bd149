"""row_windows.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit row_windows.py --checkpoint DIR [--drain | --until T]
    python row_windows.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    as_stream,
    group,
    istream,
    join_points,
    rows_window,
    select,
    session_window,
    sink,
    to_points,
    where,
    window_now,
    window_range,
)

program = Program(
    name="row_windows",
    fingerprint="d4b602a0ceb7fba1",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="json",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE",
            columns=["ts", "symbol", "price"],
            order="ts",
            within=5_000_000,
            max_ahead=86_400_000_000,
            ordered=True,
            keep=60_000_000,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="latest", streams=["quotes"], format="parquet", path="out/latest"),
        Query(name="means", streams=["quotes"], format="log", path="out/means.log"),
        Query(name="steps", streams=["quotes"], format="parquet", path="out/steps"),
        Query(name="sessions", streams=["quotes"], format="parquet", path="out/sessions"),
        Query(name="pairs", streams=["quotes"], format="parquet", path="out/pairs"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes", ordered=True)
    # w2 RowsWindow rows 1 by symbol      WK   a row ends when later rows have come: known only then
    w2 = rows_window(e, "w2", s1, rows=1, by=["`symbol`"])
    # k3 Sink latest to parquet out/latest as upsert  WK   the current row of each key
    sink(
        e,
        "latest",
        w2,
        format="parquet",
        path="out/latest",
        mode="upsert",
        names=["ts", "symbol", "price"],
        key=["symbol"],
        emit="changes",
        timestamps=True,
        options={},
    )
    # f4 Filter price > 10                      MON  stateless: rows keep their order and their ends
    f4 = where(s1, "`price` > 10")
    # p5 Project symbol, price * 2 AS twice     MON  stateless: rows keep their order and their ends
    p5 = select(f4, {"symbol": "`symbol`", "twice": "`price` * 2"})
    # w6 RowsWindow rows 10 range 1 HOUR by symbol
    #    WK   a row ends when later rows have come: known only then
    w6 = rows_window(e, "w6", p5, rows=10, by=["`symbol`"], length=3_600_000_000)
    # g7 Group by symbol: AVG(twice) AS mean      WK   what leaves can be subtracted exactly
    g7 = group(
        e,
        "g7",
        w6,
        keys={"symbol": "`symbol`"},
        aggregates={"mean": aggregate("avg", "`twice`", "DOUBLE", "DOUBLE")},
        by="accumulators",
    )
    # k8 Sink means to log out/means.log as changelog  WK   every change, with its weight
    sink(
        e,
        "means",
        g7,
        format="log",
        path="out/means.log",
        mode="changelog",
        names=["symbol", "mean"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w9 RowsWindow rows 100 slide 20
    #    WK   moves with every so-many-th row: known only when it comes
    w9 = rows_window(e, "w9", s1, rows=100, slide=20)
    # p10 Project price                         WK   stateless: rows keep their order and their ends
    p10 = select(w9, {"price": "`price`"})
    # k11 Sink steps to parquet out/steps as changelog  WK   every change, with its weight
    sink(
        e,
        "steps",
        p10,
        format="parquet",
        path="out/steps",
        mode="changelog",
        names=["price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w12 SessionWindow session 5 MINUTES by symbol
    #     WK   each row of a session puts off the end of all
    w12 = session_window(e, "w12", s1, gap=300_000_000, by=["`symbol`"])
    # g13 Group by symbol: COUNT(*) AS n          WK   what leaves can be subtracted exactly
    g13 = group(
        e,
        "g13",
        w12,
        keys={"symbol": "`symbol`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # k14 Sink sessions to parquet out/sessions as changelog  WK   every change, with its weight
    sink(
        e,
        "sessions",
        g13,
        format="parquet",
        path="out/sessions",
        mode="changelog",
        names=["symbol", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w15 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w15 = window_range(s1, 60_000_000)
    # p16 Project symbol, price                 WKS  stateless: rows keep their order and their ends
    p16 = select(w15, {"symbol": "`symbol`", "price": "`price`"})
    # t17 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t17 = to_points(e, "t17", p16)
    # i18 Report istream                          MON  rows that enter the answer
    i18 = istream(e, "i18", t17)
    # a19 AsStream                                MON  reported rows are elements again
    a19 = as_stream(i18, ordered=True)
    # w20 RowsWindow rows 5               WK   a row ends when later rows have come: known only then
    w20 = rows_window(e, "w20", a19, rows=5, net=True)
    # w21 Window now                              WKS  valid for one tick
    w21 = window_now(s1)
    # p22 Project symbol AS b_symbol, price AS b_price
    #     WKS  stateless: rows keep their order and their ends
    p22 = select(w21, {"b_symbol": "`symbol`", "b_price": "`price`"})
    # t23 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t23 = to_points(e, "t23", p22)
    # j24 Join on symbol = b_symbol               STR  an input can be taken back: pairs are, too
    j24 = join_points(e, "j24", w20, t23, equal=[("symbol", "b_symbol")])
    # p25 Project price, b_price AS other       STR  stateless: rows keep their order and their ends
    p25 = select(j24, {"price": "`price`", "other": "`b_price`"})
    # k26 Sink pairs to parquet out/pairs as changelog  STR  every change, with its weight
    sink(
        e,
        "pairs",
        p25,
        format="parquet",
        path="out/pairs",
        mode="changelog",
        names=["price", "other"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
