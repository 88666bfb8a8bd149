"""stateless.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit stateless.py --checkpoint DIR [--drain | --until T]
    python stateless.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import PlainProgram, Query, Stream

program = PlainProgram(
    name="stateless",
    fingerprint="1e08fb33f9f4fcad",
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
            options={"header": "true"},
        ),
    ],
    queries=[Query(name="stateless", streams=["quotes"], format="parquet", path="out/hot")],
)


@program.query("stateless")
def stateless(p):
    # s1 Scan quotes                              MON  each row valid from its order value on
    s1 = p.read("quotes")
    # f2 Filter symbol = 'IBM'                  MON  stateless: rows keep their order and their ends
    f2 = s1.where("`symbol` = 'IBM'")
    # p3 Project symbol, price * 2 AS twice     MON  stateless: rows keep their order and their ends
    p3 = f2.selectExpr("`symbol`", "`price` * 2 AS `twice`")
    # k4 Sink stateless to parquet out/hot as append  MON  nothing is taken back: rows are appended
    return p3.writeStream.format("parquet").outputMode("append").option("path", "out/hot")


if __name__ == "__main__":
    program.main()
