"""What `reflow archive` finds, on stdout: tables for people, JSON for programs. Loads rich."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from reflow.runtime.archive.survey import StreamArchive
from reflow.runtime.archive.vacuum import Orphan
from reflow.runtime.archive.verify import Fault, Verdict
from reflow.runtime.ledger.manifest import Manifest

_TIMES: Final = range(10**14, 10**16)
"""Order values that are taken for microseconds: the years 1973 to 2286."""
_WIDTH: Final = 200
"""Of a page that is no terminal's: lines are not broken there."""


def listing(
    streams: Sequence[StreamArchive], head: Manifest | None, as_json: bool, ticks: bool
) -> None:
    """A line a stream: what its archive is made of."""
    if as_json:
        _print_json({"epoch": _epoch(head), "streams": [_listed(each) for each in streams]})
        return
    names = ("stream", "files", "buckets", "rows", "bytes", "first", "last", "epochs", "revised")
    rows = (
        (
            each.name,
            f"{each.files:,}",
            f"{len(each.buckets):,}",
            f"{each.rows:,}",
            size(each.bytes),
            instant(each.first, ticks),
            instant(each.last, ticks),
            _span(each.oldest, each.newest),
            f"{each.revised_files:,}",
        )
        for each in streams
    )
    _print_table(names, rows, head)


def figures(
    streams: Sequence[StreamArchive], head: Manifest | None, as_json: bool, ticks: bool
) -> None:
    """A line a stream: what its archive is like."""
    if as_json:
        _print_json({"epoch": _epoch(head), "streams": [_measured(each) for each in streams]})
        return
    names = ("stream", "rows a bucket", "suited", "bytes a row", "revised", "oldest kept", "index")
    rows = (
        (
            each.name,
            f"{each.rows_per_bucket:,.1f} ({_span(min(each.buckets), max(each.buckets))})",
            f"{each.suited:,}",
            f"{each.bytes_per_row:,.1f}",
            f"{each.revision_rate:.2%}",
            instant(each.first, ticks),
            f"{_count(each.files, 'entry', 'entries')}, {size(each.index_bytes)}",
        )
        for each in streams
    )
    _print_table(names, rows, head)


def verdict(found: Verdict, orphans: Sequence[Orphan], as_json: bool) -> None:
    """What is wrong, file by file; then what was looked at, and what nobody reads."""
    if as_json:
        _print_json(
            {
                "manifests": list(found.manifests),
                "files": found.files,
                "rows": found.rows,
                "given_up": found.gone,
                "faults": [_fault(fault) for fault in found.faults],
                "orphans": [_orphan(orphan) for orphan in orphans],
            }
        )
        return
    console = _console()
    for fault in found.faults:
        by = ""
        if fault.epochs:
            by = f" (epoch {_span(min(fault.epochs), max(fault.epochs))})"
        console.print(Text(f"{fault.path}: {fault.text}{by}"), soft_wrap=True)
    ok = "all as the index says" if not found.faults else f"{len(found.faults):,} faults"
    ok = "1 fault" if len(found.faults) == 1 else ok
    console.print(
        Text(
            f"{_count(len(found.manifests), 'manifest')}, {_count(found.files, 'file')},"
            f" {_count(found.rows, 'row')}: {ok}"
        )
    )
    if found.gone:
        gone = _count(found.gone, "file")
        console.print(Text(f"{gone} of older manifests merged or let go since"))
    if orphans:
        console.print(
            Text(f"{_sum(orphans)} that the newest manifest does not name: `reflow archive vacuum`")
        )


def freed(found: Sequence[Orphan], dry: bool, as_json: bool) -> None:
    """What has been deleted or, of a `dry` run, would be."""
    if as_json:
        total = sum(orphan.bytes for orphan in found)
        _print_json({"dry_run": dry, "bytes": total, "files": [_orphan(each) for each in found]})
        return
    console = _console()
    for folder, inside in _by_folder(found).items():
        console.print(Text(f"{folder}: {_sum(inside)}"), soft_wrap=True)
    said = "would be freed" if dry else "freed"
    console.print(Text(f"{_sum(found)} {said}" if found else "nothing to free"))


def _by_folder(found: Sequence[Orphan]) -> dict[str, list[Orphan]]:
    """What one epoch has written in one place together."""
    folders: dict[str, list[Orphan]] = {}
    for orphan in found:
        parts = orphan.path.split("/")
        depth = 2 if parts[0] == "landing" else 3
        folders.setdefault("/".join(parts[:depth]), []).append(orphan)
    return folders


def instant(value: int | None, ticks: bool) -> str:
    """An order value for people: what can be a time is shown as one, in UTC."""
    if value is None:
        return "-"
    if ticks or value not in _TIMES:
        return str(value)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)
    return moment.replace(tzinfo=None).isoformat()


def size(count: int) -> str:
    """Bytes for people."""
    amount = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"


def _listed(each: StreamArchive) -> dict[str, Any]:
    return {
        "name": each.name,
        "files": each.files,
        "buckets": len(each.buckets),
        "rows": each.rows,
        "bytes": each.bytes,
        "first": each.first,
        "last": each.last,
        "epochs": [each.oldest, each.newest],
        "revised_files": each.revised_files,
        "revised_rows": each.revised_rows,
    }


def _measured(each: StreamArchive) -> dict[str, Any]:
    return {
        "name": each.name,
        "buckets": len(each.buckets),
        "rows_per_bucket": {
            "mean": round(each.rows_per_bucket, 3),
            "least": min(each.buckets),
            "largest": max(each.buckets),
        },
        "suited_bucket": each.suited,
        "bytes_per_row": round(each.bytes_per_row, 3),
        "revision_rate": round(each.revision_rate, 6),
        "oldest_kept": each.first,
        "index": {"entries": each.files, "bytes": each.index_bytes},
    }


def _fault(fault: Fault) -> dict[str, Any]:
    return {
        "file": fault.path,
        "wrong": fault.wrong,
        "epochs": list(fault.epochs),
        "text": fault.text,
    }


def _orphan(orphan: Orphan) -> dict[str, Any]:
    return {"file": orphan.path, "bytes": orphan.bytes}


def _epoch(head: Manifest | None) -> int:
    return 0 if head is None else head.epoch


def _span(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def _sum(found: Sequence[Orphan]) -> str:
    return f"{_count(len(found), 'file')} ({size(sum(orphan.bytes for orphan in found))})"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH)


def _print_table(
    names: Sequence[str], rows: Iterable[Sequence[str]], head: Manifest | None
) -> None:
    console = _console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        numbers = name in (
            *("files", "buckets", "rows", "bytes", "bytes a row", "revised"),
            "suited",
        )
        table.add_column(name, justify="right" if numbers else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    if table.row_count:
        console.print(table)
    else:
        console.print(Text(f"no stream is archived (epoch {_epoch(head):,})"))


def _print_json(page: dict[str, Any]) -> None:
    print(json.dumps(page, indent=2, ensure_ascii=False))
