"""The order of the rewrites, as data. A new rule or offer is one file and one line here.

In: a plan, costs. Out: the plan after the rules that always help, the choices by cost, and once
more the rules, for what a choice has made possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..cost import Costing
from ..plan.graph import Plan
from .driver import Rewritten, Stage
from .driver import rewrite as run
from .explore import explore
from .offer import Offer
from .offers.distinct_and_negation import distinct_and_negation
from .offers.distinct_below_join import distinct_below_join
from .offers.except_and_join import except_and_join
from .offers.join_order import join_order
from .offers.negation_and_join import negation_and_join
from .offers.nrr_order import nrr_order
from .rules.drop_identity import drop_identity
from .rules.drop_implied_window import drop_implied_window
from .rules.drop_true_condition import drop_true_condition
from .rules.merge_filters import merge_filters
from .rules.merge_projections import merge_projections
from .rules.narrow import narrow
from .rules.push_condition_below_join import push_condition_below_join
from .rules.push_condition_below_semi_join import push_condition_below_semi_join
from .rules.push_filter_below_distinct import push_filter_below_distinct
from .rules.push_filter_below_group import push_filter_below_group
from .rules.push_filter_below_nrr_join import push_filter_below_nrr_join
from .rules.push_filter_below_projection import push_filter_below_projection
from .rules.push_filter_below_row_window import push_filter_below_row_window
from .rules.push_filter_below_semi_join import push_filter_below_semi_join
from .rules.push_filter_below_set_operation import push_filter_below_set_operation
from .rules.push_filter_below_union import push_filter_below_union
from .rules.push_filter_below_window import push_filter_below_window
from .rules.push_filter_into_join import push_filter_into_join
from .rules.push_projection_below_union import push_projection_below_union
from .rules.simplify_outer_join import simplify_outer_join
from .share import share

FILTERS_DOWN: Stage = (
    "filters down",
    (
        merge_filters,
        simplify_outer_join,
        drop_true_condition,
        push_filter_below_projection,
        push_filter_below_union,
        push_filter_into_join,
        push_condition_below_join,
        push_condition_below_semi_join,
        push_filter_below_semi_join,
        push_filter_below_set_operation,
        push_filter_below_nrr_join,
        push_filter_below_distinct,
        push_filter_below_group,
        push_filter_below_window,
        push_filter_below_row_window,
    ),
)
FEWER_COLUMNS: Stage = ("fewer columns", (push_projection_below_union, narrow))
TIDY: Stage = (
    "tidy",
    (drop_implied_window, merge_filters, merge_projections, drop_identity),
)
STAGES: Sequence[Stage] = (FILTERS_DOWN, FEWER_COLUMNS, TIDY)
OFFERS: Sequence[Offer] = (
    join_order,
    nrr_order,
    negation_and_join,
    except_and_join,
    distinct_and_negation,
    distinct_below_join,
)


def rewrite(plan: Plan, costing: Costing | None = None) -> Rewritten:
    """The plan after all stages, or after as many as `SET optimizer` says: `on` (all), `rules`
    (no choices by cost), `off` (none).
    """
    how = dict(plan.settings).get("optimizer", "on")
    if how == "off":
        return Rewritten(plan, (), {})
    # Before columns are dropped: two queries that read other columns of a join may share it.
    done = _then(_shared(run(plan, (FILTERS_DOWN,))), (FEWER_COLUMNS, TIDY))
    if how == "on":
        chosen = explore(done.plan, OFFERS, costing or Costing())
        done = replace(
            done,
            plan=chosen.plan,
            applied=(*done.applied, *chosen.applied),
            decisions=chosen.decisions,
        )
        if chosen.applied:
            done = _then(done, STAGES)
    last = _shared(done)
    return done if last is done else _then(last, (FEWER_COLUMNS, TIDY))


def _shared(done: Rewritten) -> Rewritten:
    """Parts that are equal but for names made one."""
    plan, applied = share(done.plan)
    return replace(done, plan=plan, applied=(*done.applied, *applied)) if applied else done


def _then(done: Rewritten, stages: Sequence[Stage]) -> Rewritten:
    more = run(done.plan, stages)
    return replace(
        done,
        plan=more.plan,
        applied=(*done.applied, *more.applied),
        seconds={**done.seconds, **more.seconds},
    )
