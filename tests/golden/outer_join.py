"""outer_join.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit outer_join.py --checkpoint DIR [--drain | --until T]
    python outer_join.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Nrr,
    Program,
    Query,
    Stream,
    anti_join,
    join,
    nrr_join,
    select,
    shared,
    sink,
    to_points,
    union_all,
    where,
    window_range,
)

program = Program(
    name="outer_join",
    fingerprint="04452629ecbd0e5e",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="orders",
            format="json",
            path="/data/orders",
            schema="`ts` TIMESTAMP, `id` BIGINT, `customer` STRING, `amount` INT",
            columns=["id", "customer", "amount"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=3_600_000_000,
        ),
        Stream(
            name="payments",
            format="json",
            path="/data/payments",
            schema="`ts` TIMESTAMP, `id` BIGINT, `amount` INT",
            columns=["id", "amount"],
            order="ts",
            within=5_000_000,
            max_ahead=86_400_000_000,
            keep=7_200_000_000,
        ),
    ],
    nrrs=[
        Nrr(
            name="customers",
            format="csv",
            path="/data/customers.csv",
            schema="`customer` STRING, `name` STRING",
            columns=["customer", "name"],
            key=["customer"],
        ),
    ],
    queries=[
        Query(name="unpaid", streams=["orders", "payments"], format="parquet", path="/out/unpaid"),
        Query(name="both", streams=["orders", "payments"], format="log", path="/out/both.log"),
        Query(name="paid", streams=["orders", "payments"], format="parquet", path="/out/paid"),
    ],
)


@program.epoch
def epoch(e):
    # s1 Scan orders                              MON  each row valid from its order value on
    s1 = e.elements("orders")
    # w2 Window range 1 HOUR
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 3_600_000_000)
    # n3 NrrJoin left outer join with customers on customer = c_customer
    #    WKS  the version pinned when the row arrived: no state
    n3 = nrr_join(
        e,
        "n3",
        w2,
        "customers",
        columns={"c_customer": "customer", "name": "name"},
        equal=[("customer", "c_customer")],
        outer=True,
    )
    # s4 Scan payments                            MON  each row valid from its order value on
    s4 = e.elements("payments")
    # f5 Filter amount > 0                      MON  stateless: rows keep their order and their ends
    f5 = where(s4, "`amount` > 0")
    # w6 Window range 2 HOURS
    #    WKS  every row lives equally long: the window is the tail of the stream
    w6 = window_range(f5, 7_200_000_000)
    # p7 Project id AS p_id                     WKS  stateless: rows keep their order and their ends
    p7 = select(w6, {"p_id": "`id`"})
    # t8 ToPoints                      WKS  the next step needs rows that come and leave at instants
    t8 = to_points(e, "t8", p7)
    # x9 SemiJoin without a match on id = p_id
    #    STR  a row leaves when a match comes, and is back when the last match leaves
    x9 = anti_join(e, "x9", n3, t8, equal=[("id", "p_id")])
    # p10 Project id, amount, name              STR  stateless: rows keep their order and their ends
    p10 = select(x9, {"id": "`id`", "amount": "`amount`", "name": "`name`"})
    # k11 Sink unpaid to parquet /out/unpaid as changelog  STR  every change, with its weight
    sink(
        e,
        "unpaid",
        p10,
        format="parquet",
        path="/out/unpaid",
        mode="changelog",
        names=["id", "amount", "name"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w12 Window range 1 HOUR
    #     WKS  every row lives equally long: the window is the tail of the stream
    w12 = window_range(s4, 3_600_000_000)
    # p13 Project id AS p_id, amount AS p_amount
    #     WKS  stateless: rows keep their order and their ends
    p13 = select(w12, {"p_id": "`id`", "p_amount": "`amount`"})
    # j14 Join on id = p_id          WK   pairs end with the row that ends first: no negative tuples
    j14 = shared(e, join(e, "j14", w2, p13, equal=[("id", "p_id")]))
    # p15 Project amount, p_amount, id AS id_of_either
    #     WK   stateless: rows keep their order and their ends
    p15 = select(j14, {"amount": "`amount`", "p_amount": "`p_amount`", "id_of_either": "`id`"})
    # p16 Project id AS p_id                    WKS  stateless: rows keep their order and their ends
    p16 = select(w12, {"p_id": "`id`"})
    # t17 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t17 = to_points(e, "t17", p16)
    # x18 SemiJoin without a match on id = p_id
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x18 = anti_join(e, "x18", w2, t17, equal=[("id", "p_id")], span=3_600_000_000)
    # p19 Project amount, CAST(NULL AS INT) AS p_amount, id AS id_of_either
    #     STR  stateless: rows keep their order and their ends
    p19 = select(
        x18,
        {"amount": "`amount`", "p_amount": "CAST(NULL AS INT)", "id_of_either": "`id`"},
    )
    # p20 Project id                            WKS  stateless: rows keep their order and their ends
    p20 = select(w2, {"id": "`id`"})
    # t21 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t21 = to_points(e, "t21", p20)
    # x22 SemiJoin without a match on p_id = id
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x22 = anti_join(e, "x22", p13, t21, equal=[("p_id", "id")], span=3_600_000_000)
    # p23 Project CAST(NULL AS INT) AS amount, p_amount, p_id AS id_of_either
    #     STR  stateless: rows keep their order and their ends
    p23 = select(
        x22,
        {"amount": "CAST(NULL AS INT)", "p_amount": "`p_amount`", "id_of_either": "`p_id`"},
    )
    # t24 ToPoints                     WK   the next step needs rows that come and leave at instants
    t24 = to_points(e, "t24", p15)
    # u25 Union full outer join: the pairs, and rows of either side without a match
    #     STR  stateless: as complex as its inputs together
    u25 = union_all(t24, p19, p23)
    # p26 Project id_of_either AS id, amount AS asked, p_amount AS paid
    #     STR  stateless: rows keep their order and their ends
    p26 = select(u25, {"id": "`id_of_either`", "asked": "`amount`", "paid": "`p_amount`"})
    # k27 Sink both to log /out/both.log as changelog  STR  every change, with its weight
    sink(
        e,
        "both",
        p26,
        format="log",
        path="/out/both.log",
        mode="changelog",
        names=["id", "asked", "paid"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # f28 Filter p_amount > amount              WK   stateless: rows keep their order and their ends
    f28 = where(j14, "`p_amount` > `amount`")
    # p29 Project id, amount, p_amount AS paid  WK   stateless: rows keep their order and their ends
    p29 = select(f28, {"id": "`id`", "amount": "`amount`", "paid": "`p_amount`"})
    # k30 Sink paid to parquet /out/paid as changelog  WK   every change, with its weight
    sink(
        e,
        "paid",
        p29,
        format="parquet",
        path="/out/paid",
        mode="changelog",
        names=["id", "amount", "paid"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
