"""A file of tests is cut, put together and bound; nothing here starts Spark."""

from __future__ import annotations

from reflow.compiler.bind import steps
from reflow.compiler.cases import Case, read_cases
from reflow.grammar.source import Source

STREAM = "CREATE STREAM s (t BIGINT, k STRING, ORDER BY t);\n"
QUERY = "CREATE QUERY q AS SELECT k, COUNT(*) AS n FROM s [RANGE 5] GROUP BY k;\n"
ROW = "INSERT INTO s VALUES (1, 'a');\n"


def cases(text: str, **scripts: str) -> tuple[Case, ...]:
    def read(path: str) -> Source:
        if path not in scripts:
            raise FileNotFoundError(path)
        return Source(path, scripts[path])

    return read_cases(Source("x.test.cql", text), read, "there")


def one(text: str, **scripts: str) -> Case:
    (case,) = cases(text, **scripts)
    assert case.errors == ""
    return case


def test_what_stands_before_the_first_test_belongs_to_every_case() -> None:
    text = STREAM + ROW + "TEST 'one';\n" + QUERY + "ASSERT ANSWER NONE;\nTEST 'two';\n"
    first, second = cases(text)
    assert (first.name, first.place.line, first.errors) == ("one", 3, "")
    assert [type(step) for step in first.steps] == [steps.Insert, steps.Answer]
    assert (second.name, second.place.line) == ("two", 6)
    assert second.found == ("RF3506",)


def test_a_file_without_test_is_one_case_named_after_it() -> None:
    assert one(STREAM + QUERY + ROW + "ASSERT ANSWER VALUES ('a', 1)").name == "x.test"
    (empty,) = cases("")
    assert empty.found == ("RF3506",)


def test_the_program_reads_no_source_and_writes_below_the_folder_of_its_case() -> None:
    text = (
        "CREATE STREAM s (t BIGINT, k STRING, ORDER BY t) FROM CSV 'real/in';\n"
        "CREATE NRR n (k STRING, v INT, KEY (k)) FROM CSV 'real/nrr';\n"
        "CREATE QUERY q AS SELECT s.k, n.v FROM s JOIN n ON s.k = n.k"
        " INTO JSON 'real/out' AS APPEND;\n"
        "TEST 'one';\nTEST 'two';\n" + ROW + "ASSERT ANSWER NONE;"
    )
    _, case = cases(text)
    assert "real/out" not in case.program and "real/nrr" not in case.program
    assert case.folders == {"q": "there/1/out/0"}
    assert case.relations == {"n": "there/1/nrr/0"}
    assert 'mode="changelog"' in case.program and "'c0'" not in case.program
    assert '"c0", "c1"' in case.program
    assert "there/1/out/0" in case.program and "there/1/nrr/0" in case.program


def test_a_stateless_query_is_tried_as_a_delta_program_too() -> None:
    text = STREAM + "CREATE QUERY q AS SELECT k FROM s INTO JSON 'out';\n" + ROW
    assert "PlainProgram" not in one(text + "ASSERT ANSWER VALUES ('a')").program


def test_a_script_stands_where_it_is_run_and_lines_are_those_of_the_files() -> None:
    text = "RUN SCRIPT 'q';\nTEST 'one';\nINSERT INTO s\nVALUES (1, 'a');\nASSERT ANSWER NONE"
    case = one(text, q="-- a comment\n" + STREAM + QUERY.rstrip(";\n") + " -- no end")
    insert, answer = case.steps
    assert (case.located(insert).path, case.located(insert).line) == ("x.test.cql", 3)
    assert case.located(insert).text == "INSERT INTO s VALUES (1, 'a')"
    assert case.located(answer).line == 5
    (wrong,) = cases(text.replace("'a'", "5"), q=STREAM + QUERY.replace("COUNT(*)", "COUNT(x)"))
    assert "--> q:2:" in wrong.errors and "--> x.test.cql:4:12" in wrong.errors


def test_a_script_that_is_missing_is_missing_in_the_cases_that_run_it() -> None:
    first, second = cases(
        STREAM + QUERY + ROW + "TEST 'a';\nRUN SCRIPT 'no';\nTEST 'b';\nASSERT ANSWER NONE;"
    )
    assert first.found == ("RF3506", "RF3502") and "'no' cannot be read" in first.errors
    assert second.errors == ""


def test_asserted_errors_are_all_errors_and_no_other() -> None:
    wrong = "CREATE QUERY w AS SELECT x FROM s WHERE t + 1;\n"

    def passes(codes: str) -> bool:
        (case,) = cases(STREAM + wrong + f"ASSERT ERROR {codes};")
        assert case.program == ""
        return case.as_asserted

    assert passes("RF2005, RF2103") and passes("rf2103, RF2005")
    assert not passes("RF2005") and not passes("RF2005, RF2103, RF2001")
    (fine,) = cases(STREAM + QUERY + ROW + "ASSERT ERROR RF2005;")
    assert not fine.as_asserted and fine.errors == ""


def test_syntax_errors_can_be_asserted_and_leave_the_other_cases_alone() -> None:
    text = (
        STREAM
        + QUERY
        + "TEST 'a';\nSELECT a, FROM s;\nASSERT ERROR RF1005;\nTEST 'b';\n"
        + ROW
        + "ASSERT ANSWER NONE"
    )
    first, second = cases(text)
    assert first.as_asserted
    assert second.errors == ""


def test_at_gives_the_order_field_and_columns_that_are_not_listed_are_null() -> None:
    text = STREAM + QUERY + "INSERT INTO s VALUES ('a') AT -5;\nINSERT INTO s (t) VALUES (7);\n"
    first, second, _ = one(text + "ASSERT ANSWER NONE").steps
    assert isinstance(first, steps.Insert) and isinstance(second, steps.Insert)
    assert first.rows == (("CAST(-5L AS BIGINT)", "CAST('a' AS STRING)"),)
    assert second.rows == (("CAST(7 AS BIGINT)", "CAST(NULL AS STRING)"),)


def test_instants_are_those_of_the_zone_of_the_file() -> None:
    text = (
        "SET timezone = 'Europe/Berlin';\n"
        "CREATE STREAM s (ts TIMESTAMP, k STRING, ORDER BY ts);\n"
        "CREATE QUERY q AS SELECT k FROM s [RANGE 1 MINUTE];\n"
        "INSERT INTO s VALUES ('a') AT '2026-01-05 01:00:00';\n"
        "ADVANCE TO '2026-01-05T00:30:00Z';\nADVANCE BY 1 HOUR 30 MINUTES;\nASSERT ANSWER NONE;"
    )
    insert, to, by, _ = one(text).steps
    midnight = 1_767_571_200_000_000
    assert (
        isinstance(insert, steps.Insert) and f"timestamp_micros({midnight}L)" in insert.rows[0][0]
    )
    assert isinstance(to, steps.Move) and to.to == midnight + 1_800_000_000
    assert isinstance(by, steps.Move) and by.by == 5_400_000_000


def test_a_view_is_asserted_about_like_a_query_and_two_queries_must_be_named() -> None:
    text = STREAM + "CREATE VIEW v AS SELECT k FROM s [RANGE 5];\n" + ROW
    case = one(text + "ASSERT ANSWER v VALUES ('a'); ASSERT CHANGES v NONE;")
    assert [output.query for output in case.outputs] == ["v"]
    (wrong,) = cases(text + QUERY + "ASSERT ANSWER v NONE; ASSERT ANSWER NONE;")
    assert wrong.found == ("RF3508",)


def test_an_answer_may_have_two_columns_of_one_name_or_names_of_a_change_log() -> None:
    text = (
        STREAM + "CREATE QUERY q AS SELECT a.k, b.k, a.t AS vs FROM s [NOW] AS a, s [NOW] AS b;\n"
    )
    case = one(text + ROW + "ASSERT ANSWER VALUES ('a', 'a', 1)")
    assert case.outputs[0].columns == ("k", "k", "vs")
