"""corrected_nrr.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit corrected_nrr.py --checkpoint DIR [--drain | --until T]
    python corrected_nrr.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Nrr,
    Program,
    Query,
    Stream,
    aggregate,
    group,
    nrr_join,
    select,
    sink,
    window_range,
)

program = Program(
    name="corrected_nrr",
    fingerprint="55efb88c6d471047",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="orders",
            format="json",
            path="orders/",
            schema=(
                "`ts` TIMESTAMP, `id` BIGINT, `cur` STRING, `amount` BIGINT, `note` STRING, `op` "
                "STRING"
            ),
            columns=["ts", "id", "cur", "amount", "note"],
            order="ts",
            within=2_000_000,
            max_ahead=86_400_000_000,
            ordered=True,
            keep=1,
            kept=3_600_000_000,
            read_as_arrived=True,
            key=["id"],
            operation="op",
            marks={"d": "delete", "c": "insert", "u": "replace"},
        ),
        Stream(
            name="news",
            format="json",
            path="news/",
            schema="`ts` TIMESTAMP, `cur` STRING",
            columns=["cur"],
            order="ts",
            max_ahead=86_400_000_000,
            kept=1_800_000_000,
        ),
    ],
    nrrs=[
        Nrr(
            name="rates",
            format="csv",
            path="rates.csv",
            schema="`cur` STRING, `rate` BIGINT, `since` TIMESTAMP",
            columns=["cur", "rate"],
            version_by="since",
            key=["cur"],
        ),
        Nrr(
            name="names",
            format="csv",
            path="names.csv",
            schema="`cur` STRING, `name` STRING",
            columns=["cur", "name"],
            key=["cur"],
        ),
    ],
    queries=[
        Query(name="priced", streams=["orders"], format="parquet", path="out/priced"),
        Query(name="named", streams=["orders"], format="parquet", path="out/named"),
        Query(name="told", streams=["news"], format="parquet", path="out/told"),
        Query(name="as_arrived", streams=["orders"], format="parquet", path="out/as_arrived"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan orders                              MON  each row valid from its order value on
    s1 = e.elements("orders", ordered=True, net=True)
    # w2 Window range 1 MINUTE
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 60_000_000)
    # n3 NrrJoin left outer join with rates on cur = r_cur at ts
    #    WKS  the version is the row's for good: a row that is withdrawn takes its pairs along
    n3 = nrr_join(
        e,
        "n3",
        w2,
        "rates",
        columns={"r_cur": "cur", "rate": "rate"},
        equal=[("cur", "r_cur")],
        at="`ts`",
        outer=True,
        corrected=True,
    )
    # g4 Group by rate: COUNT(*) AS n             WK   what leaves can be subtracted exactly
    g4 = group(
        e,
        "g4",
        n3,
        keys={"rate": "`rate`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # k5 Sink priced to parquet out/priced as changelog  WK   every change, with its weight
    sink(
        e,
        "priced",
        g4,
        format="parquet",
        path="out/priced",
        mode="changelog",
        names=["rate", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # n6 NrrJoin names on cur = n_cur
    #    MON  the version is the row's for good: a row that is withdrawn takes its pairs along
    n6 = nrr_join(
        e,
        "n6",
        s1,
        "names",
        columns={"n_cur": "cur", "name": "name"},
        equal=[("cur", "n_cur")],
        corrected=True,
    )
    # p7 Project amount, name                   MON  stateless: rows keep their order and their ends
    p7 = select(n6, {"amount": "`amount`", "name": "`name`"})
    # k8 Sink named to parquet out/named as changelog  MON  every change, with its weight
    sink(
        e,
        "named",
        p7,
        format="parquet",
        path="out/named",
        mode="changelog",
        names=["amount", "name"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # s9 Scan news                                MON  each row valid from its order value on
    s9 = e.elements("news")
    # w10 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w10 = window_range(s9, 60_000_000)
    # n11 NrrJoin names on cur = n_cur        WKS  the version pinned when the row arrived: no state
    n11 = nrr_join(
        e,
        "n11",
        w10,
        "names",
        columns={"n_cur": "cur", "name": "name"},
        equal=[("cur", "n_cur")],
    )
    # p12 Project cur, name                     WKS  stateless: rows keep their order and their ends
    p12 = select(n11, {"cur": "`cur`", "name": "`name`"})
    # k13 Sink told to parquet out/told as changelog  WKS  every change, with its weight
    sink(
        e,
        "told",
        p12,
        format="parquet",
        path="out/told",
        mode="changelog",
        names=["cur", "name"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # s14 Scan orders as arrived
    #     MON  each row valid from its order value on; late rows and corrections are left out
    s14 = e.elements("orders", as_arrived=True)
    # n15 NrrJoin names on cur = n_cur        MON  the version pinned when the row arrived: no state
    n15 = nrr_join(
        e,
        "n15",
        s14,
        "names",
        columns={"n_cur": "cur", "name": "name"},
        equal=[("cur", "n_cur")],
    )
    # p16 Project id, name                      MON  stateless: rows keep their order and their ends
    p16 = select(n15, {"id": "`id`", "name": "`name`"})
    # k17 Sink as_arrived to parquet out/as_arrived as changelog  MON  every change, with its weight
    sink(
        e,
        "as_arrived",
        p16,
        format="parquet",
        path="out/as_arrived",
        mode="changelog",
        names=["id", "name"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
