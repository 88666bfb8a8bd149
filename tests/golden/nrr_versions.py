"""nrr_versions.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit nrr_versions.py --checkpoint DIR [--drain | --until T]
    python nrr_versions.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Nrr, Program, Query, Stream, nrr_join, select, sink

program = Program(
    name="nrr_versions",
    fingerprint="62bbf1b11102f299",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="quotes",
            format="csv",
            path="data/quotes/",
            schema="`ts` TIMESTAMP, `symbol` STRING, `price` DOUBLE, `shares` INT",
            columns=["ts", "symbol", "price"],
            order="ts",
            within=10_000_000,
            max_ahead=86_400_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[
        Nrr(
            name="rates",
            format="json",
            path="data/rates/",
            schema="`cur` STRING, `rate` DOUBLE, `since` TIMESTAMP",
            columns=["cur", "rate"],
            version_by="since",
            key=["cur"],
        ),
    ],
    queries=[Query(name="nrr_versions", streams=["quotes"], format="parquet", path="out/rated")],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # n2 NrrJoin rates on symbol = cur at ts  MON  the newest version at the row's instant: no state
    n2 = nrr_join(
        e,
        "n2",
        s1,
        "rates",
        columns={"cur": "cur", "rate": "rate"},
        equal=[("symbol", "cur")],
        at="`ts`",
    )
    # p3 Project symbol, price * rate AS price  MON  stateless: rows keep their order and their ends
    p3 = select(n2, {"symbol": "`symbol`", "price": "`price` * `rate`"})
    # k4 Sink nrr_versions to parquet out/rated as changelog  MON  every change, with its weight
    sink(
        e,
        "nrr_versions",
        p3,
        format="parquet",
        path="out/rated",
        mode="changelog",
        names=["symbol", "price"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
