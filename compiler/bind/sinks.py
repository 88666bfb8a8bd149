"""INTO, EMIT, EVERY: where an answer goes and in which form."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from reflow.compiler.syntax import nodes
from reflow.grammar.source import Span
from reflow.grammar.value import value

from ..plan.operators import Scan, Sink
from ..plan.schema import names
from ..plan.sections import in_its_section
from .approximations import approximate_rate
from .catalog import Answer, Context
from .declarations import options
from .lengths import interval
from .names import lookup, meant, one_of
from .retractions import why_rows_leave
from .shape import clock, is_stateless, key_of
from .sink_keys import missing_of_key

_FILES = frozenset({"parquet", "json", "csv", "orc"})
_FORMATS = (*sorted(_FILES), "console", "memory", "log")
_LATER = frozenset({"kafka", "delta", "jdbc"})

Mode = Literal["changelog", "upsert", "append", "elements"]
_OWN_COLUMNS: Mapping[Mode, frozenset[str]] = MappingProxyType(
    {
        "changelog": frozenset({"vs", "ve", "w", "epoch"}),
        "upsert": frozenset({"deleted", "epoch"}),
        "append": frozenset({"epoch"}),
        "elements": frozenset({"kind", "vs", "ve", "old_ve", "epoch"}),
    }
)


def bind_sink(statement: nodes.CreateQuery, name: str, answer: Answer, context: Context) -> Sink:
    return _Sinking(statement, name, answer, context).sink()


@value
class _Sinking:
    statement: nodes.CreateQuery
    name: str
    answer: Answer
    context: Context

    def sink(self) -> Sink:
        into, findings = self.statement.into, self.context.findings
        operator = self.answer.operator
        mode = self._mode()
        self._check_format()
        self._check_names(mode)
        every, revise = self.statement.every, self.statement.revise
        return Sink(
            input=operator,
            query=self.name,
            columns=self.answer.names,
            format=self._format,
            path=into.path if into else None,
            mode=mode,
            key=self._key(mode),
            emit=self._emit,
            every=interval(every.interval, findings, "EVERY") if every else None,
            timestamps=clock(operator),
            options=options(into.options) if into else (),
            revise=revise.technique if revise else "auto",
            percent=approximate_rate(revise, findings),
        )

    @property
    def _format(self) -> str:
        return self.statement.into.format if self.statement.into else "console"

    @property
    def _emit(self) -> Literal["changes", "final", "frozen"]:
        return self.statement.emit.when if self.statement.emit else "changes"

    @property
    def _span(self) -> Span:
        into = self.statement.into
        return into.span if into else self.statement.span

    def _check_format(self) -> None:
        into, findings = self.statement.into, self.context.findings
        if into is None:
            return
        word = into.format.upper()
        if into.format in _LATER:
            findings.not_yet("RF9020", f"INTO {word}", into.span)
        elif into.format not in _FORMATS:
            findings.error(
                "RF2012",
                f"there is no sink `{into.format}`",
                into.span,
                one_of([f.upper() for f in _FORMATS]),
                meant(into.format, _FORMATS),
            )
        elif into.format in _FILES | {"log"} and not into.path:
            findings.error("RF3007", f"INTO {word} needs a path", into.span, f"INTO {word} 'path'")
        elif into.format == "console" and into.path is not None:
            findings.error("RF3007", "INTO CONSOLE takes no path", into.span, "INTO CONSOLE")
        elif into.format == "console":
            self._check_rows_shown(into)

    def _check_rows_shown(self, into: nodes.Into) -> None:
        for option in into.options:
            shown = option.name == "numRows" and str(option.value).isdecimal()
            if not shown:
                self.context.findings.error(
                    "RF2013",
                    f"INTO CONSOLE cannot take {self.context.text(option.span)}",
                    option.span,
                    "`numRows` and a whole number",
                )

    # --- mode ---

    def _mode(self) -> Mode:
        into = self.statement.into
        if into is None or into.mode is None:
            if into is not None and into.key:
                return "upsert"
            plain = self._format in _FILES and self._emit == "changes"
            return "append" if plain and is_stateless(self.answer.operator) else "changelog"
        if into.mode == "elements" and into.format == "log":
            self.context.findings.error(
                "RF3405",
                "INTO LOG holds lines, no elements",
                self.context.word("AS ELEMENTS", into.span),
                "INTO JSON 'folder' AS ELEMENTS, or another format of files",
            )
        if into.mode == "append" and self._emit == "changes":
            self._refuse_append(into)
        if into.mode == "append" and self._emit == "final":
            self._refuse_corrected(into)
        return into.mode

    def _refuse_append(self, into: nodes.Into) -> None:
        why = why_rows_leave(self.answer.operator)
        if why is not None:
            self.context.findings.error(
                "RF3401",
                f"AS APPEND cannot take rows back, and here some are: {why}",
                self.context.word("AS APPEND", into.span),
                "AS CHANGELOG or AS UPSERT",
                "or write EMIT FINAL: then only what cannot change any more is written",
            )

    def _refuse_corrected(self, into: nodes.Into) -> None:
        """What is final is so in order: corrections come behind it. A merged stream goes no further
        than nothing of it changes any more.
        """
        operator = self.answer.operator
        own = (each for each in in_its_section(operator) if isinstance(each, Scan))
        found = (s.stream for s in own if s.stream.revisable and not s.as_arrived)
        stream = next(found, None)
        if stream is not None and why_rows_leave(operator) is not None:
            self.context.findings.error(
                "RF3401",
                "AS APPEND cannot take rows back, and here some are: "
                f"`{stream.name}` is corrected behind what is final",
                self.context.word("AS APPEND", into.span),
                "AS CHANGELOG or AS UPSERT",
                "or write EMIT FROZEN, which waits for all corrections, or REVISE BY IGNORE",
            )

    def _key(self, mode: Mode) -> tuple[str, ...]:
        """The output names of the columns that tell the rows of an UPSERT apart."""
        into = self.statement.into
        written = into.key if into else ()
        if written:
            named = tuple(c for name in written if (c := self._key_column(name)) is not None)
            if len(named) == len(written):
                self._check_key(named)
            return named
        if mode != "upsert":
            return ()
        key = key_of(self.answer.operator)
        if not key:
            self.context.findings.error(
                "RF3402",
                "AS UPSERT needs a key, and this answer has none",
                self.context.word("AS UPSERT", self._span),
                "a GROUP BY whose keys are all in the SELECT, or AS UPSERT BY (column, …)",
                f"the columns are {', '.join(self.answer.names)}",
            )
        shown = dict(zip(names(self.answer.operator.schema), self.answer.names, strict=True))
        return tuple(shown[name] for name in key or ())

    def _check_key(self, key: tuple[str, ...]) -> None:
        """The written key must tell the rows apart where the plan knows what does."""
        schema = names(self.answer.operator.schema)
        below = dict(zip(self.answer.names, schema, strict=True))
        missing = missing_of_key(self.answer.operator, [below[name] for name in key])
        if not missing:
            return
        shown = dict(zip(schema, self.answer.names, strict=True))
        more = [shown.get(name, name) for name in missing]
        whole = f"AS UPSERT BY ({', '.join((*key, *more))})"
        left_out = [name for name in missing if name not in shown]
        also = f", with {' and '.join(left_out)} in the SELECT" if left_out else ""
        self.context.findings.error(
            "RF3404",
            f"rows of this answer that differ in `{'`, `'.join(more)}` have the same"
            f" ({', '.join(key)})",
            self.context.word("UPSERT BY", self._span),
            whole + also,
            f"or group by ({', '.join(key)}) alone, or write AS CHANGELOG, which needs no key",
        )

    def _key_column(self, name: nodes.Name) -> str | None:
        match = lookup(name.text, self.answer.names, str)
        if match.only is not None:
            return match.only
        self.context.findings.error(
            "RF2006" if match.found else "RF2005",
            f"the output column `{name.text}` is ambiguous"
            if match.found
            else f"there is no output column `{name.text}`",
            name.span,
            one_of(self.answer.names),
            meant(name.text, self.answer.names),
        )
        return None

    # --- names ---

    def _check_names(self, mode: Mode) -> None:
        if self._format in {"console", "log"}:
            return
        # Plain streaming adds no column.
        plain = mode == "append" and is_stateless(self.answer.operator)
        own = frozenset[str]() if plain else _OWN_COLUMNS[mode]
        seen: set[str] = set()
        for name, place in zip(self.answer.names, self.answer.places, strict=True):
            folded = name.casefold()
            if folded in seen:
                self.context.findings.error(
                    "RF2014",
                    f"two output columns are called `{name}`",
                    place,
                    hint="give one of them an alias: AS …",
                )
            if folded in own:
                output = "the changelog" if mode == "changelog" else f"AS {mode.upper()}"
                self.context.findings.error(
                    "RF2015",
                    f"{output} has a column `{folded}` of its own",
                    place,
                    hint="give the output column another name: AS …",
                )
            seen.add(folded)
