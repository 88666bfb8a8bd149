"""names.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit names.py --checkpoint DIR [--drain | --until T]
    python names.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import Program, Query, Stream, hold, select, sink, where, window_range

program = Program(
    name="names",
    fingerprint="62e69c1548154750",
    timezone="Europe/Berlin",
    settings={"spark.sql.shuffle.partitions": "8"},
    streams=[
        Stream(
            name="große Ströme",
            format="json",
            path='data/it\'s "here"/',
            schema='`Zeit` TIMESTAMP, `der Name` STRING, `it\'s "quoted"` STRING',
            columns=["der Name", 'it\'s "quoted"'],
            order="Zeit",
            max_ahead=86_400_000_000,
            options={"sep": ";"},
        ),
    ],
    nrrs=[],
    queries=[Query(name="names", streams=["große Ströme"], format="parquet", path="out/größe")],
)


@program.epoch
def epoch(e):
    # s1 Scan `große Ströme`                      MON  each row valid from its order value on
    s1 = e.elements("große Ströme")
    # f2 Filter `der Name` LIKE '%\\d -- ; \'%' AND `it's "quoted"` <> 'a "b" c'
    #    MON  stateless: rows keep their order and their ends
    f2 = where(s1, "`der Name` LIKE '%\\\\d -- ; \\'%' AND `it's \"quoted\"` <> 'a \"b\" c'")
    # w3 Window range 1 DAY slide 1 DAY in Europe/Berlin  WKS  both ends rounded up to the slide
    w3 = window_range(f2, 86_400_000_000, slide=86_400_000_000, zone="Europe/Berlin")
    # p4 Project `der Name`, `it's "quoted"` AS `a _tick_`
    #    WKS  stateless: rows keep their order and their ends
    p4 = select(w3, {"der Name": "`der Name`", "a _tick_": '`it\'s "quoted"`'})
    # h5 Hold until now                 WKS  rows that start later than `now` wait for their instant
    h5 = hold(e, "h5", p4, until="now")
    # k6 Sink names to parquet out/größe as changelog  WKS  every change, with its weight
    sink(
        e,
        "names",
        h5,
        format="parquet",
        path="out/größe",
        mode="changelog",
        names=["der Name", "a `tick`"],
        key=[],
        emit="changes",
        timestamps=True,
        options={},
    )


if __name__ == "__main__":
    program.main()
