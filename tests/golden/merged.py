"""merged.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit merged.py --checkpoint DIR [--drain | --until T]
    python merged.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Merge,
    Program,
    Query,
    Stream,
    aggregate,
    group,
    join_points,
    merged,
    reconstitute,
    select,
    sink,
    to_points,
    where,
    window_now,
    window_range,
)

program = Program(
    name="merged",
    fingerprint="42c5ec03241e6cba",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="east",
            format="json",
            path="in/east",
            schema="`ts` TIMESTAMP, `sym` STRING, `price` INT",
            columns=["ts", "sym", "price"],
            order="ts",
            max_ahead=86_400_000_000,
            ordered=True,
            keep=60_000_000,
        ),
        Stream(
            name="west",
            format="json",
            path="in/west",
            schema="`ts` TIMESTAMP, `sym` STRING, `price` INT",
            columns=["ts", "sym", "price"],
            order="ts",
            max_ahead=86_400_000_000,
            ordered=True,
            merged=True,
        ),
        Stream(
            name="slow",
            format="json",
            path="in/slow",
            schema="`ts` TIMESTAMP, `sym` STRING, `price` INT",
            columns=["ts", "sym", "price"],
            order="ts",
            within=60_000_000,
            max_ahead=86_400_000_000,
            idle_after=60_000_000,
            merged=True,
        ),
        Stream(
            name="feed",
            format="json",
            path="in/feed",
            schema=(
                "`sym` STRING, `n` BIGINT, `kind` STRING, `vs` TIMESTAMP, `ve` TIMESTAMP, "
                "`old_ve` TIMESTAMP"
            ),
            columns=["sym", "n", "kind", "vs", "ve", "old_ve"],
            order="vs",
            ordered=True,
            elements=["kind", "vs", "ve", "old_ve"],
            merged=True,
        ),
    ],
    nrrs=[],
    queries=[
        Query(name="latest", streams=["both"], format="parquet", path="out/latest"),
        Query(name="averages", streams=["quotes"], format="parquet", path="out/averages"),
        Query(name="known", streams=["counts", "east"], format="parquet", path="out/known"),
    ],
    merges=[
        Merge(
            name="both",
            inputs={"both.east": ["east"], "both.west": ["west"]},
            promised={"both.east": "TIES IN ORDER", "both.west": "TIES IN ORDER"},
        ),
        Merge(
            name="both",
            inputs={"quotes.both.both.east": ["east"], "quotes.both.both.west": ["west"]},
            section="quotes.both",
            promised={
                "quotes.both.both.east": "TIES IN ORDER",
                "quotes.both.both.west": "TIES IN ORDER",
            },
        ),
        Merge(
            name="quotes",
            inputs={"quotes.both": ["both"], "quotes.slow": ["slow"]},
            lag=5_000_000,
        ),
        Merge(name="counts", inputs={"counts.feed": ["feed"], "counts.counted": ["east"]}),
    ],
)


@program.epoch
def epoch(e):
    e1 = e.part("both.east")
    e2 = e.part("both.west")
    e3 = e.part("quotes.both.both.east")
    e4 = e.part("quotes.both.both.west")
    e5 = e.part("quotes.both")
    e6 = e.part("quotes.slow")
    e7 = e.part("counts.feed")
    e8 = e.part("counts.counted")
    # s1 Scan east                                MON  each row valid from its order value on
    s1 = e.elements("east", ordered=True)
    # s2 Scan east                                MON  each row valid from its order value on
    s2 = e1.elements("east", ordered=True)
    # s3 Scan west                                MON  each row valid from its order value on
    s3 = e2.elements("west", ordered=True)
    # l4 Merge both of east, west
    #    MON  merged by R1 (not R0: east: elements start together, west: elements start together);…
    l4 = merged(e, "l4", {"both.east": s2, "both.west": s3}, of="both", variant="R1", rows=True)
    # f5 Filter price > 10                      MON  stateless: rows keep their order and their ends
    f5 = where(l4, "`price` > 10")
    # p6 Project sym, price                     MON  stateless: rows keep their order and their ends
    p6 = select(f5, {"sym": "`sym`", "price": "`price`"})
    # k7 Sink latest to parquet out/latest as append  MON  nothing is taken back: rows are appended
    sink(
        e,
        "latest",
        p6,
        format="parquet",
        path="out/latest",
        mode="append",
        names=["sym", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # s8 Scan east                                MON  each row valid from its order value on
    s8 = e3.elements("east", ordered=True)
    # s9 Scan west                                MON  each row valid from its order value on
    s9 = e4.elements("west", ordered=True)
    # l10 Merge both of east, west
    #     MON  merged by R1 (not R0: east: elements start together, west: elements start together);…
    l10 = merged(
        e5,
        "l10",
        {"quotes.both.both.east": s8, "quotes.both.both.west": s9},
        of="both",
        variant="R1",
        rows=True,
    )
    # s11 Scan slow                               MON  each row valid from its order value on
    s11 = e6.elements("slow")
    # l12 Merge quotes of both, CLEANSE (slow)
    #     MON  merged by R2 (not R1: both: ties in any order, slow: ties in any order); policy EAGE…
    l12 = merged(
        e,
        "l12",
        {"quotes.both": l10, "quotes.slow": s11},
        of="quotes",
        variant="R2 duplicates",
        cleansed=["quotes.slow"],
        rows=True,
    )
    # w13 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w13 = window_range(l12, 60_000_000)
    # g14 Group of all: AVG(price) AS price       WK   what leaves can be subtracted exactly
    g14 = group(
        e,
        "g14",
        w13,
        keys={},
        aggregates={"price": aggregate("avg", "`price`", "DOUBLE", "INT")},
        by="accumulators",
        streams=["quotes"],
    )
    # k15 Sink averages to parquet out/averages as changelog  WK   every change, with its weight
    sink(
        e,
        "averages",
        g14,
        format="parquet",
        path="out/averages",
        mode="changelog",
        names=["price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )
    # w16 Window now                              WKS  valid for one tick
    w16 = window_now(s1)
    # s17 Scan feed                               MON  each row valid from its order value on
    s17 = e7.elements("feed", ordered=True)
    # v18 Reconstitution events of feed
    #     STR  adjusts end events whenever they like, from the last stable on
    v18 = reconstitute(
        e7,
        "v18",
        s17,
        of="feed",
        columns=["sym", "n"],
        elements=["kind", "vs", "ve", "old_ve"],
    )
    # s19 Scan east                               MON  each row valid from its order value on
    s19 = e8.elements("east", ordered=True)
    # w20 Window range 1 MINUTE
    #     WKS  every row lives equally long: the window is the tail of the stream
    w20 = window_range(s19, 60_000_000)
    # g21 Group by sym: COUNT(*) AS n             WK   what leaves can be subtracted exactly
    g21 = group(
        e8,
        "g21",
        w20,
        keys={"sym": "`sym`"},
        aggregates={"n": aggregate("count")},
        by="accumulators",
    )
    # l22 Merge counts of feed, counted
    #     STR  merged by R4 (not R3: feed: equal rows start together); policy FRACTION 0.5; merged…
    l22 = merged(
        e,
        "l22",
        {"counts.feed": v18, "counts.counted": g21},
        of="counts",
        variant="R4",
        policy="fraction",
        share=0.5,
    )
    # p23 Project sym AS c_sym, n               STR  stateless: rows keep their order and their ends
    p23 = select(l22, {"c_sym": "`sym`", "n": "`n`"})
    # t24 ToPoints                     WKS  the next step needs rows that come and leave at instants
    t24 = to_points(e, "t24", w16)
    # j25 Join on sym = c_sym                     STR  an input can be taken back: pairs are, too
    j25 = join_points(e, "j25", t24, p23, equal=[("sym", "c_sym")])
    # p26 Project sym, price, n                 STR  stateless: rows keep their order and their ends
    p26 = select(j25, {"sym": "`sym`", "price": "`price`", "n": "`n`"})
    # k27 Sink known to parquet out/known as changelog  STR  every change, with its weight
    sink(
        e,
        "known",
        p26,
        format="parquet",
        path="out/known",
        mode="changelog",
        names=["sym", "price", "n"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
