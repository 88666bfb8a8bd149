"""Every error code of the binder, with the rule that it stands for.

2xxx are names and types, 3xxx meaning, 9xxx what the language has and Reflow does not do yet. A
code never changes its meaning; `docs/errors.md` is this table with examples.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        # names
        "RF2001": "a stream, NRR, view or query of this name does not exist",
        "RF2002": "a name is used before the statement that creates it",
        "RF2003": "a name is created twice",
        "RF2004": "a name fits several others when case is ignored",
        "RF2005": "a column of this name does not exist here",
        "RF2006": "a column name is found in several tables of FROM",
        "RF2007": "two tables of FROM have the same alias",
        "RF2008": "a column is declared or named twice",
        "RF2009": "a type is not one of Spark's, or malformed",
        "RF2010": "a function of this name does not exist",
        "RF2011": "a struct has no such field",
        "RF2012": "a source or sink format is unknown",
        "RF2013": "a setting is unknown or its value is not allowed",
        "RF2014": "two output columns of a sink have the same name",
        "RF2015": "an output column has a name that the sink needs",
        "RF2016": "no table of FROM has this alias",
        "RF2017": "a column has a name that the engine keeps for itself",
        "RF2018": "a statistic of WITH STATS is unknown or its value is not allowed",
        # types
        "RF2101": "two values cannot be compared",
        "RF2102": "an operator is used on a type that has none",
        "RF2103": "a condition is not a BOOLEAN",
        "RF2104": "an aggregate cannot take a value of this type",
        "RF2105": "a function has the wrong number of arguments",
        "RF2106": "the branches of a set operator have different types",
        "RF2107": "the branches of a set operator have different numbers of columns",
        "RF2108": "alternatives (CASE, COALESCE, IN, …) have no common type",
        "RF2109": "a function cannot take a value of this type",
        "RF2110": "a value has no elements to take by `[]` or `.`",
        "RF2111": "a value cannot be cast to this type",
        "RF2112": "a parameter of an aggregate is not a literal, or not one that it can be",
        # declarations
        "RF3001": "an order column must be a TIMESTAMP or a BIGINT",
        "RF3002": "a length has the wrong kind: interval for TIMESTAMP, number for BIGINT order",
        "RF3003": "VERSION BY stands where it has no meaning, or has the wrong type",
        "RF3004": "a stream or NRR has no FROM",
        "RF3005": "a clause has no meaning on this kind of source",
        "RF3006": "the columns of this source are fixed",
        "RF3007": "a path or an option is missing, or stands where none is used",
        "RF3008": "a length must be greater than zero",
        "RF3009": "months and years have no fixed length",
        "RF3010": "the streams of one file have clocks of different kinds",
        "RF3011": "a length is longer than any time, a number of rows more than can be counted",
        "RF3012": "KEY, REVISIONS BY and the columns of a relation do not fit together",
        "RF3013": "KEY, REVISIONS and ARCHIVE of a stream do not fit together",
        "RF3014": "ELEMENTS and the other clauses and columns of a stream do not fit together",
        "RF3015": "the inputs of MERGE OF do not fit together, or its POLICY is none",
        "RF3016": "FEEDBACK of inputs that may need rows of any age",
        # windows
        "RF3101": "a window must be longer than zero",
        "RF3104": "a window stands on something that is not a stream",
        "RF3105": "warning: SLIDE is longer than RANGE, some rows are in no window",
        # queries
        "RF3201": "a query has no FROM",
        "RF3203": "an aggregate stands where none is allowed",
        "RF3204": "an aggregate stands within another",
        "RF3205": "a column is neither grouped nor aggregated",
        "RF3206": "a position in GROUP BY does not exist",
        "RF3207": "a file has no query",
        "RF3208": "an NRR is joined with no stream",
        "RF3209": "an NRR is joined with an answer that is revised",
        "RF3210": "a value that differs from run to run in a query that keeps state",
        "RF3211": "a query stands where only an expression may",
        "RF3212": "the query of IN has another number of columns than stand before IN",
        "RF3213": "an outer join would keep the rows of an NRR",
        "RF3214": "the type of a column that an outer join fills with NULL is not known",
        "RF3221": "an aggregate that does not depend on its rows alone, or needs other syntax",
        "RF3222": "an aggregate by order over rows that have none",
        # state
        "RF3301": "the state of a join or a negation would grow for ever",
        "RF3302": "warning: state grows with the number of keys",
        "RF3303": "an aggregate over a stream without end would keep every value",
        "RF3304": "warning: corrections of a stream reach back no further than WITHIN",
        "RF3305": "REVISE BY REPLAY of a query that cannot be replayed",
        "RF3306": "REVISE BY APPROXIMATE of a query whose corrections cannot be estimated",
        "RF3307": "REVISE BY APPROXIMATE of a share of the rows that does not divide them evenly",
        # sinks
        "RF3401": "AS APPEND on an answer from which rows leave",
        "RF3402": "AS UPSERT without a key",
        "RF3403": "two queries write to the same place",
        "RF3404": "UPSERT BY names fewer columns than tell the rows apart",
        "RF3405": "AS ELEMENTS into a sink that holds no elements",
        # tests of queries
        "RF3501": "a statement of tests stands in another file, or where it has no place",
        "RF3502": "a script of RUN SCRIPT cannot be read",
        "RF3503": "a row has other columns than what it is for",
        "RF3504": "a value does not fit its column",
        "RF3505": "an instant is none, or of the wrong kind",
        "RF3506": "a test has no rows or no assertions",
        "RF3507": "rows cannot be inserted here, or nothing can be asserted about it",
        "RF3508": "an assertion does not say which query it is about",
        # not yet
        "RF9009": "REVISIONS DEBEZIUM but from JSON, or of a relation with ORDER BY",
        "RF9010": "ARCHIVE but with KEEP, BUCKET and LAYOUT PLAIN or SOURCE; ARCHIVE on a relation",
        "RF9011": "REDUCE",
        "RF9013": "BEGIN and END",
        "RF9020": "sinks KAFKA, DELTA, JDBC",
        "RF9021": "functions that give several rows",
    }
)
