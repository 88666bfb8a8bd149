"""The order of the rewrites, as data. A new rule is one file and one line here."""

from __future__ import annotations

from collections.abc import Sequence

from ..plan.graph import Plan
from .driver import Rewritten, Stage
from .driver import rewrite as run
from .rules.drop_identity import drop_identity
from .rules.drop_implied_window import drop_implied_window
from .rules.merge_filters import merge_filters
from .rules.merge_projections import merge_projections
from .rules.narrow import narrow
from .rules.push_condition_below_join import push_condition_below_join
from .rules.push_filter_below_distinct import push_filter_below_distinct
from .rules.push_filter_below_group import push_filter_below_group
from .rules.push_filter_below_nrr_join import push_filter_below_nrr_join
from .rules.push_filter_below_projection import push_filter_below_projection
from .rules.push_filter_below_union import push_filter_below_union
from .rules.push_filter_below_window import push_filter_below_window
from .rules.push_filter_into_join import push_filter_into_join
from .rules.push_projection_below_union import push_projection_below_union

STAGES: Sequence[Stage] = (
    (
        "filters down",
        (
            merge_filters,
            push_filter_below_projection,
            push_filter_below_union,
            push_filter_into_join,
            push_condition_below_join,
            push_filter_below_nrr_join,
            push_filter_below_distinct,
            push_filter_below_group,
            push_filter_below_window,
        ),
    ),
    ("fewer columns", (push_projection_below_union, narrow)),
    ("tidy", (drop_implied_window, merge_filters, merge_projections, drop_identity)),
)


def rewrite(plan: Plan) -> Rewritten:
    """The plan after all stages."""
    return run(plan, STAGES)
