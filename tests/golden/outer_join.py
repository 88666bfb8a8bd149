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
    sink,
    to_points,
    union_all,
    where,
    window_range,
)

program = Program(
    name="outer_join",
    fingerprint="9d973e8d3fa54faf",
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
    # f5 Filter amount > 0 AND amount IS NULL   MON  stateless: rows keep their order and their ends
    f5 = where(s4, "`amount` > 0 AND `amount` IS NULL")
    # w6 Window range 2 HOURS
    #    WKS  every row lives equally long: the window is the tail of the stream
    w6 = window_range(f5, 7_200_000_000)
    # p7 Project id AS p_id                     WKS  stateless: rows keep their order and their ends
    p7 = select(w6, {"p_id": "`id`"})
    # j8 Join on id = p_id           WK   pairs end with the row that ends first: no negative tuples
    j8 = join(e, "j8", n3, p7, equal=[("id", "p_id")])
    # p9 Project id, amount, name               WK   stateless: rows keep their order and their ends
    p9 = select(j8, {"id": "`id`", "amount": "`amount`", "name": "`name`"})
    # f10 Filter CAST(NULL AS INT) IS NULL      MON  stateless: rows keep their order and their ends
    f10 = where(s1, "CAST(NULL AS INT) IS NULL")
    # w11 Window range 1 HOUR
    #     WKS  every row lives equally long: the window is the tail of the stream
    w11 = window_range(f10, 3_600_000_000)
    # n12 NrrJoin left outer join with customers on customer = c_customer
    #     WKS  the version pinned when the row arrived: no state
    n12 = nrr_join(
        e,
        "n12",
        w11,
        "customers",
        columns={"c_customer": "customer", "name": "name"},
        equal=[("customer", "c_customer")],
        outer=True,
    )
    # f13 Filter amount > 0                     MON  stateless: rows keep their order and their ends
    f13 = where(s4, "`amount` > 0")
    # w14 Window range 2 HOURS
    #     WKS  every row lives equally long: the window is the tail of the stream
    w14 = window_range(f13, 7_200_000_000)
    # p15 Project id AS p_id                    WKS  stateless: rows keep their order and their ends
    p15 = select(w14, {"p_id": "`id`"})
    # t16 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t16 = to_points(e, "t16", p15)
    # x17 SemiJoin without a match on id = p_id
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x17 = anti_join(e, "x17", n12, t16, equal=[("id", "p_id")])
    # p18 Project id, amount, name              STR  stateless: rows keep their order and their ends
    p18 = select(x17, {"id": "`id`", "amount": "`amount`", "name": "`name`"})
    # t19 ToPoints                     WK   the next step needs rows that come and leave at instants
    t19 = to_points(e, "t19", p9)
    # u20 Union left outer join: the pairs, and rows of the left without a match
    #     STR  stateless: as complex as its inputs together
    u20 = union_all(t19, p18)
    # k21 Sink unpaid to parquet /out/unpaid as changelog  STR  every change, with its weight
    sink(
        e,
        "unpaid",
        u20,
        format="parquet",
        path="/out/unpaid",
        mode="changelog",
        names=["id", "amount", "name"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w22 Window range 1 HOUR
    #     WKS  every row lives equally long: the window is the tail of the stream
    w22 = window_range(s4, 3_600_000_000)
    # p23 Project id AS p_id, amount AS p_amount
    #     WKS  stateless: rows keep their order and their ends
    p23 = select(w22, {"p_id": "`id`", "p_amount": "`amount`"})
    # j24 Join on id = p_id          WK   pairs end with the row that ends first: no negative tuples
    j24 = join(e, "j24", w2, p23, equal=[("id", "p_id")])
    # p25 Project amount, p_amount, id AS id_of_either
    #     WK   stateless: rows keep their order and their ends
    p25 = select(j24, {"amount": "`amount`", "p_amount": "`p_amount`", "id_of_either": "`id`"})
    # p26 Project id AS p_id                    WKS  stateless: rows keep their order and their ends
    p26 = select(w22, {"p_id": "`id`"})
    # t27 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t27 = to_points(e, "t27", p26)
    # x28 SemiJoin without a match on id = p_id
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x28 = anti_join(e, "x28", w2, t27, equal=[("id", "p_id")], span=3_600_000_000)
    # p29 Project amount, CAST(NULL AS INT) AS p_amount, id AS id_of_either
    #     STR  stateless: rows keep their order and their ends
    p29 = select(
        x28,
        {"amount": "`amount`", "p_amount": "CAST(NULL AS INT)", "id_of_either": "`id`"},
    )
    # p30 Project id                            WKS  stateless: rows keep their order and their ends
    p30 = select(w2, {"id": "`id`"})
    # t31 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t31 = to_points(e, "t31", p30)
    # x32 SemiJoin without a match on p_id = id
    #     STR  a row leaves when a match comes, and is back when the last match leaves
    x32 = anti_join(e, "x32", p23, t31, equal=[("p_id", "id")], span=3_600_000_000)
    # p33 Project CAST(NULL AS INT) AS amount, p_amount, p_id AS id_of_either
    #     STR  stateless: rows keep their order and their ends
    p33 = select(
        x32,
        {"amount": "CAST(NULL AS INT)", "p_amount": "`p_amount`", "id_of_either": "`p_id`"},
    )
    # t34 ToPoints                     WK   the next step needs rows that come and leave at instants
    t34 = to_points(e, "t34", p25)
    # u35 Union full outer join: the pairs, and rows of either side without a match
    #     STR  stateless: as complex as its inputs together
    u35 = union_all(t34, p29, p33)
    # p36 Project id_of_either AS id, amount AS asked, p_amount AS paid
    #     STR  stateless: rows keep their order and their ends
    p36 = select(u35, {"id": "`id_of_either`", "asked": "`amount`", "paid": "`p_amount`"})
    # k37 Sink both to log /out/both.log as changelog  STR  every change, with its weight
    sink(
        e,
        "both",
        p36,
        format="log",
        path="/out/both.log",
        mode="changelog",
        names=["id", "asked", "paid"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
