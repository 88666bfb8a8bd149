"""relations.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit relations.py --checkpoint DIR [--drain | --until T]
    python relations.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    group,
    join_asof,
    relation,
    select,
    sink,
    window_range,
)

program = Program(
    name="relations",
    fingerprint="08933f401f481019",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="orders",
            format="json",
            path="data/orders/",
            schema="`ts` TIMESTAMP, `account` BIGINT, `amount` DOUBLE",
            columns=["account", "amount"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=3_600_000_000,
        ),
        Stream(
            name="accounts",
            format="json",
            path="data/accounts/",
            schema="`id` BIGINT, `tier` STRING, `op` STRING, `at` TIMESTAMP",
            columns=["id", "tier", "op"],
            order="at",
            ordered=True,
            relation=True,
        ),
        Stream(
            name="stock",
            format="json",
            path="data/stock/",
            schema="`op` STRING, `item` STRING",
            columns=["op", "item"],
            ordered=True,
            relation=True,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="joined", streams=["accounts", "orders"], format="parquet", path="out/joined"),
        Query(name="items", streams=["stock"], format="parquet", path="out/items"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan orders                              MON  each row valid from its order value on
    s1 = e.elements("orders")
    # w2 Window range 1 HOUR
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 3_600_000_000)
    # s3 Scan accounts                            MON  each row valid from its order value on
    s3 = e.elements("accounts", ordered=True)
    # c4 Relation accounts by id op: delete 'd', insert 'c', replace 'u'
    #    STR  a row stays until the log has another of its key, or withdraws it
    c4 = relation(
        e,
        "c4",
        s3,
        of="accounts",
        columns=["id", "tier"],
        key=["id"],
        operation="op",
        marks={"d": "delete", "c": "insert", "u": "replace"},
    )
    # j5 Join ⋈R on account = id        STR  a row of the window looks up the current row of its key
    j5 = join_asof(e, "j5", w2, c4, equal=[("account", "id")], span=3_600_000_000)
    # p6 Project amount, tier                   STR  stateless: rows keep their order and their ends
    p6 = select(j5, {"amount": "`amount`", "tier": "`tier`"})
    # k7 Sink joined to parquet out/joined as changelog  STR  every change, with its weight
    sink(
        e,
        "joined",
        p6,
        format="parquet",
        path="out/joined",
        mode="changelog",
        names=["amount", "tier"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # s8 Scan stock                               MON  each row valid from its order value on
    s8 = e.elements("stock", ordered=True)
    # c9 Relation stock op: delete '-', insert '+'  STR  the log withdraws rows whenever it likes
    c9 = relation(
        e,
        "c9",
        s8,
        of="stock",
        columns=["item"],
        operation="op",
        marks={"-": "delete", "+": "insert"},
    )
    # g10 Group by item: COUNT(*) AS n            WK   what leaves can be subtracted exactly
    g10 = group(
        e,
        "g10",
        c9,
        keys={"item": "`item`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # k11 Sink items to parquet out/items as changelog  WK   every change, with its weight
    sink(
        e,
        "items",
        g10,
        format="parquet",
        path="out/items",
        mode="changelog",
        names=["item", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
