"""stateless_union.cql, compiled by Reflow 0.1.0.

Run it:
    spark-submit stateless_union.py --checkpoint DIR [--drain | --until T]
    python stateless_union.py --checkpoint DIR [--drain | --until T]
"""

from reflow.runtime.program import PlainProgram, Query, Stream

program = PlainProgram(
    name="stateless_union",
    fingerprint="99259e0c94534be1",
    timezone="UTC",
    settings={},
    streams=[
        Stream(
            name="link1",
            format="csv",
            path="data/link1/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src", "protocol", "nbytes"],
            order="ts",
            timestamps=False,
        ),
        Stream(
            name="link2",
            format="csv",
            path="data/link2/",
            schema="`ts` BIGINT, `src` STRING, `protocol` STRING, `nbytes` BIGINT",
            columns=["src", "protocol", "nbytes"],
            order="ts",
            timestamps=False,
        ),
    ],
    queries=[
        Query(name="stateless_union", streams=["link1", "link2"], format="json", path="out/ftp"),
    ],
)


@program.query("stateless_union")
def stateless_union(p):
    # s1 Scan link1                               MON  each row valid from its order value on
    s1 = p.read("link1")
    # f2 Filter protocol = 'ftp'                MON  stateless: rows keep their order and their ends
    f2 = s1.where("`protocol` = 'ftp'")
    # p3 Project src, nbytes                    MON  stateless: rows keep their order and their ends
    p3 = f2.selectExpr("`src`", "`nbytes`")
    # s4 Scan link2                               MON  each row valid from its order value on
    s4 = p.read("link2")
    # f5 Filter protocol = 'ftp'                MON  stateless: rows keep their order and their ends
    f5 = s4.where("`protocol` = 'ftp'")
    # p6 Project src, nbytes                    MON  stateless: rows keep their order and their ends
    p6 = f5.selectExpr("`src`", "`nbytes`")
    # u7 Union                                    MON  stateless: as complex as its inputs together
    u7 = p3.union(p6)
    # k8 Sink stateless_union to json out/ftp as append
    #    MON  nothing is taken back: rows are appended
    return u7.writeStream.format("json").outputMode("append").option("path", "out/ftp")


if __name__ == "__main__":
    program.main()
