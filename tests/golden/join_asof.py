"""join_asof.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit join_asof.py --checkpoint DIR [--drain | --until T]
    python join_asof.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import (
    Program,
    Query,
    Stream,
    aggregate,
    group,
    istream,
    join_asof,
    select,
    sink,
    window_now,
    window_range,
)

program = Program(
    name="join_asof",
    fingerprint="1ffcdb9ac7458d81",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="flows",
            format="csv",
            path="data/flows/",
            schema="`ts` TIMESTAMP, `src` INT, `nbytes` INT",
            columns=["ts", "src", "nbytes"],
            order="ts",
            max_ahead=86_400_000_000,
            keep=20_000_000,
        ),
    ],
    nrrs=[],
    queries=[Query(name="recent", streams=["flows"], format="parquet", path="out/recent")],
)


@program.epoch
def epoch(e):
    # s1 Scan flows                               MON  each row valid from its order value on
    s1 = e.elements("flows")
    # w2 Window now                               WKS  valid for one tick
    w2 = window_now(s1)
    # w3 Window range 20 SECONDS
    #    WKS  every row lives equally long: the window is the tail of the stream
    w3 = window_range(s1, 20_000_000)
    # g4 Group by src: AVG(nbytes) AS average     WK   what leaves can be subtracted exactly
    g4 = group(
        e,
        "g4",
        w3,
        keys={"src": "`src`"},
        aggregates={"average": aggregate("avg", "`nbytes`", "DOUBLE", "INT")},
        by="accumulators",
    )
    # p5 Project src AS w_src, average          WK   stateless: rows keep their order and their ends
    p5 = select(g4, {"w_src": "`src`", "average": "`average`"})
    # j6 Join on src = w_src            STR  a row of the window looks up the current row of its key
    j6 = join_asof(e, "j6", w2, p5, equal=[("src", "w_src")], span=1)
    # p7 Project ts, src, average               STR  stateless: rows keep their order and their ends
    p7 = select(j6, {"ts": "`ts`", "src": "`src`", "average": "`average`"})
    # i8 Report istream                           MON  rows that enter the answer
    i8 = istream(e, "i8", p7)
    # k9 Sink recent to parquet out/recent as changelog  MON  every change, with its weight
    sink(
        e,
        "recent",
        i8,
        format="parquet",
        path="out/recent",
        mode="changelog",
        names=["ts", "src", "average"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
