"""All facts about a plan, beside it, keyed by operator."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ..plan.graph import Plan
from ..plan.operators import Operator
from ..plan.outcomes import Nulls
from ..plan.settings import Execution, execution
from .ahead import ahead
from .arrival import arrival
from .beginnings import beginnings, streams
from .boundedness import Growth, growth
from .bounds import Bounds, bounds
from .determinism import Reasons, determinism
from .forms import Form, forms
from .grouping import By, groupings
from .keys import Key, keys
from .lattice import UpdatePattern
from .lookups import Currents, currents, mixed, read_off, silent
from .merging import Merging, merged
from .needed import Columns, needed
from .nulls import nulls
from .pairs import paired
from .reach import Reaches, reaches, sliding
from .retractions import append_only, in_pieces, retracting
from .stream_properties import Properties, stream_properties
from .update_patterns import taken_as, update_patterns


class Facts:
    """What the analyses find. Each mapping speaks of its key's output.

    An analysis runs when its facts are first asked for, after those that it needs.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def taken_as(self, source: Operator, consumer: Operator) -> UpdatePattern:
        """The pattern of the edge between two operators."""
        return taken_as(source, consumer, self.patterns)

    def reads_off(self, consumer: Operator, source: Operator) -> bool:
        """Whether a consumer takes none of an input's changes: a join that reads the current rows
        off the state of their group, or what lies between the two.
        """
        at = self.read_off.get(consumer)
        return source in self.silent if at is None else consumer.inputs[at] == source

    def consumers(self, operator: Operator) -> tuple[Operator, ...]:
        """The operators that read an output, once for each input they use it as."""
        return self._plan.consumers(operator)

    @cached_property
    def patterns(self) -> Mapping[Operator, UpdatePattern]:
        return update_patterns(self._plan)

    @cached_property
    def retracting(self) -> Mapping[Operator, bool]:
        return retracting(self._plan, self.append_only)

    @cached_property
    def append_only(self) -> Mapping[Operator, bool]:
        return append_only(self._plan)

    @cached_property
    def in_pieces(self) -> Mapping[Operator, bool]:
        return in_pieces(self._plan)

    @cached_property
    def forms(self) -> Mapping[Operator, Form]:
        plan, execution = self._plan, self.execution
        return forms(plan, self.append_only, self.retracting, self.in_pieces, execution)

    @cached_property
    def execution(self) -> Execution:
        """The technique of UPA's comparison by which the file is executed."""
        return execution(dict(self._plan.settings))

    @cached_property
    def ahead(self) -> Mapping[Operator, bool]:
        return ahead(self._plan, self.forms, self.patterns)

    @cached_property
    def reaches(self) -> Mapping[Operator, Reaches]:
        return reaches(self._plan, self.forms, self.append_only)

    @cached_property
    def sliding(self) -> Mapping[Operator, bool]:
        return sliding(self._plan, self.append_only)

    @cached_property
    def keys(self) -> Mapping[Operator, Key]:
        return keys(self._plan)

    @cached_property
    def nulls(self) -> Mapping[Operator, Nulls]:
        return nulls(self._plan)

    @cached_property
    def groupings(self) -> Mapping[Operator, By]:
        return groupings(self._plan, self.forms, self.sliding, self.append_only, self.retracting)

    @cached_property
    def currents(self) -> Currents:
        """Of each join that looks up the current row of a key, which input has it. That one row
        replaces another is knowledge of patterns.
        """
        asked = self.execution == "upa" and mixed(self._plan, self.forms)
        return currents(self._plan, self.forms, self.keys) if asked else {}

    @cached_property
    def read_off(self) -> Currents:
        """Those of `currents` whose rows are read off the state of a group."""
        if not self.currents:
            return {}
        return read_off(self.currents, self.forms, self.reaches, self.groupings)

    @cached_property
    def silent(self) -> frozenset[Operator]:
        """Operators whose changes nobody takes, and which are not made."""
        return silent(self._plan, self.read_off) if self.read_off else frozenset()

    @cached_property
    def growth(self) -> Mapping[Operator, Growth]:
        return growth(self._plan)

    @cached_property
    def bounds(self) -> Mapping[Operator, Bounds]:
        return bounds(self._plan, self.growth)

    @cached_property
    def properties(self) -> Mapping[Operator, Properties]:
        return stream_properties(self._plan, self.keys, self.patterns, self.append_only)

    @cached_property
    def merged(self) -> Mapping[Operator, Merging]:
        """How each merge is made."""
        return merged(self._plan, self.properties, self.forms, self.in_pieces)

    @cached_property
    def determinism(self) -> Mapping[Operator, Reasons]:
        return determinism(self._plan, self.properties)

    @cached_property
    def paired(self) -> Mapping[Operator, bool]:
        return paired(self._plan, self.retracting)

    @cached_property
    def needed(self) -> Mapping[Operator, Columns]:
        return needed(self._plan, self.paired)

    @cached_property
    def arrival(self) -> Mapping[Operator, bool]:
        return arrival(self._plan, self.paired, self.merged)

    @cached_property
    def streams(self) -> frozenset[str]:
        """All base streams of the file."""
        return streams(self._plan)

    @cached_property
    def beginnings(self) -> Mapping[Operator, frozenset[str]]:
        return beginnings(self._plan)

    @cached_property
    def readers(self) -> Mapping[Operator, int]:
        plan = self._plan
        return {operator: len(plan.consumers(operator)) for operator in plan.operators()}


def analyse(plan: Plan) -> Facts:
    """The facts about a plan."""
    return Facts(plan)
