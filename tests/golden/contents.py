"""contents.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit contents.py --checkpoint DIR [--drain | --until T]
    python contents.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Program, Query, Stream, aggregate, group, sink, window_range

program = Program(
    name="contents",
    fingerprint="1f29f4785fdce1b0",
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
            keep=3_600_000_000,
            options={"header": "true"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="contents", streams=["quotes"], format="csv", path="out/top")],
)


@program.epoch
def epoch(e):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = e.elements("quotes")
    # w2 Window range 1 HOUR
    #    WKS  every row lives equally long: the window is the tail of the stream
    w2 = window_range(s1, 3_600_000_000)
    # g3 Group by symbol: MAX(price) AS top
    #    WK   MAX cannot be subtracted: touched groups are read again
    g3 = group(
        e,
        "g3",
        w2,
        keys={"symbol": "`symbol`"},
        aggregates={"top": aggregate("max", "`price`", "DOUBLE", "DOUBLE")},
        by="contents",
    )
    # k4 Sink contents to csv out/top as upsert   WK   the current row of each key
    sink(
        e,
        "contents",
        g3,
        format="csv",
        path="out/top",
        mode="upsert",
        names=["symbol", "top"],
        key=["symbol"],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
