"""The bucket index and the ranges of state files: nothing that is asked for is skipped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reflow.runtime.archive.index import (
    BUCKET_ROWS,
    MERGE_AFTER,
    floor,
    live,
    live_rows,
    matching,
    mergeable,
    rows_within,
)
from reflow.runtime.elements.columns import DAWN
from reflow.runtime.elements.deltas import Slice
from reflow.runtime.ledger.files import DataFile
from reflow.runtime.state.store import overlaps


def bucket(low: int, high: int, rows: int = 10, epoch: int = 1) -> DataFile:
    return DataFile(f"{low}-{high}/x", rows, 100, epoch, {"_vs": low}, {"_vs": high})


def piece(vs: tuple[int, int], ve: tuple[int, int]) -> DataFile:
    low, high = {"_vs": vs[0], "_ve": ve[0]}, {"_vs": vs[1], "_ve": ve[1]}
    return DataFile("x", 1, 1, 1, low, high)


def test_a_slice_opens_below_and_closes_above() -> None:
    buckets = (bucket(0, 9), bucket(10, 19), bucket(20, 29))
    assert matching(buckets, Slice(vs_after=9, vs_upto=20)) == [buckets[1], buckets[2]]
    assert matching(buckets, Slice(vs_after=8, vs_upto=19)) == [buckets[0], buckets[1]]
    assert matching(buckets, Slice()) == list(buckets)
    assert matching(buckets, Slice(vs_after=29)) == []


def test_buckets_know_no_ends_so_bounds_on_ends_do_not_skip_them() -> None:
    assert matching((bucket(0, 9),), Slice(ve_after=100)) == [bucket(0, 9)]


def test_rows_within_bounds_are_guessed_as_if_they_lay_evenly() -> None:
    assert rows_within(bucket(0, 9), 0, 10) == 10
    assert rows_within(bucket(0, 9), 3, 5) == 2
    assert rows_within(bucket(0, 99), 3, 4) == 1
    assert rows_within(bucket(0, 9), 10, 20) == rows_within(bucket(0, 9), -5, 0) == 0
    assert rows_within(bucket(5, 5), 5, 6) == 10


def test_a_bucket_leaves_when_its_youngest_row_is_read_no_more() -> None:
    buckets = (bucket(0, 9), bucket(5, 30))
    assert live(buckets, keep=10, complete=18) == buckets
    assert live(buckets, keep=10, complete=19) == buckets[1:]
    assert live(buckets, keep=-1, complete=10**9) == buckets


def test_the_floor_of_a_number_of_rows_is_that_of_whole_buckets() -> None:
    buckets = (bucket(0, 9), bucket(10, 19), bucket(20, 29))
    assert floor(buckets, 1) == floor(buckets, 10) == 20
    assert floor(buckets, 11) == floor(buckets, 20) == 10
    assert floor(buckets, 30) == 0
    assert floor(buckets, 31) == DAWN


def test_the_floor_does_not_depend_on_into_how_many_files_an_epoch_is_cut() -> None:
    one = DataFile("landing/1/a", 10, 1, 1, {"_vs": 0}, {"_vs": 9})
    halves = [
        DataFile("landing/2/a", 5, 1, 2, {"_vs": 5}, {"_vs": 20}),
        DataFile("landing/2/b", 5, 1, 2, {"_vs": 7}, {"_vs": 30}),
    ]
    assert floor([one, *halves], 5) == 5
    assert floor([one, *halves], 11) == 0


def test_the_floor_counts_no_revisions() -> None:
    late = DataFile("landing/9/late", 100, 1, 9, {"_vs": 25}, {"_vs": 26}, revised=True)
    assert floor([bucket(0, 9), late, bucket(20, 29)], 15) == 0


def test_a_merged_bucket_keeps_the_rows_that_keep_buckets() -> None:
    assert live_rows(keep=10, complete=19) == "_vs > 9L"
    assert live_rows(keep=-1, complete=10**9) == "TRUE"


def test_a_bucket_is_full_at_half_the_size_that_is_asked_for() -> None:
    many = tuple(bucket(n, n, rows=10, epoch=n) for n in range(MERGE_AFTER))
    assert mergeable(many, 22) == many
    assert mergeable(many, 20) == ()
    assert mergeable((bucket(0, 0, rows=11, epoch=99), *many), 22) == many


def test_small_buckets_are_merged_once_they_are_many() -> None:
    few = tuple(bucket(n, n, epoch=n) for n in range(MERGE_AFTER - 1))
    assert mergeable(few) == ()
    many = (*few, bucket(99, 99, epoch=99))
    assert mergeable(many) == many


def test_many_files_of_one_epoch_are_one_bucket() -> None:
    assert mergeable(tuple(bucket(n, n, epoch=1) for n in range(100))) == ()


def test_only_the_newest_run_behind_a_full_bucket_is_merged() -> None:
    old = tuple(bucket(n, n, epoch=n) for n in range(3))
    full = bucket(50, 60, rows=BUCKET_ROWS, epoch=50)
    new = tuple(bucket(n, n, epoch=n) for n in range(100, 100 + MERGE_AFTER))
    assert mergeable((*old, full, *new)) == new
    assert mergeable((*new, full)) == ()


def test_a_state_file_is_judged_by_starts_and_ends() -> None:
    file = piece(vs=(10, 20), ve=(30, 40))
    assert overlaps(file, Slice())
    assert not overlaps(file, Slice(vs_after=20))
    assert overlaps(file, Slice(vs_after=19))
    assert not overlaps(file, Slice(vs_upto=9))
    assert overlaps(file, Slice(vs_upto=10))
    assert not overlaps(file, Slice(ve_after=40))
    assert not overlaps(file, Slice(ve_upto=29))
    assert overlaps(file, Slice(vs_upto=10, ve_after=39))


def test_a_file_without_a_known_range_is_read() -> None:
    unknown = DataFile("x", 1, 1, 1)
    assert overlaps(unknown, Slice(vs_after=2**62, vs_upto=-(2**62), ve_after=0, ve_upto=0))


@given(
    st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=5), max_size=6),
    st.integers(1, 20),
)
def test_the_rows_from_the_floor_on_are_enough(content: list[list[int]], wanted: int) -> None:
    buckets = [
        DataFile(f"b{number}/x", len(values), 1, number, {"_vs": min(values)}, {"_vs": max(values)})
        for number, values in enumerate(content)
    ]
    found = floor(buckets, wanted)
    every = sum(len(values) for values in content)
    kept = sum(value >= found for values in content for value in values)
    assert kept >= wanted if every >= wanted else found == DAWN


small = st.integers(0, 6)
rows = st.lists(st.tuples(small, small), min_size=1, max_size=4)
slices = st.builds(Slice, *[st.none() | small for _ in range(4)])


@given(rows, slices)
def test_no_file_with_a_wanted_row_is_skipped(
    content: list[tuple[int, int]], wanted: Slice
) -> None:
    starts, ends = zip(*content, strict=True)
    file = piece((min(starts), max(starts)), (min(ends), max(ends)))

    def inside(value: int, after: int | None, upto: int | None) -> bool:
        return (after is None or value > after) and (upto is None or value <= upto)

    hit = any(
        inside(vs, wanted.vs_after, wanted.vs_upto) and inside(ve, wanted.ve_after, wanted.ve_upto)
        for vs, ve in content
    )
    assert overlaps(file, wanted) or not hit
