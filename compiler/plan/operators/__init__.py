"""The operators of a logical plan: immutable values whose fields are their meaning.

In: other operators (their inputs) and sqlglot expressions over the inputs' column names. Out:
nothing; the schema of each is derived. Equal operators are one node of the plan.
"""

from .base import Operator
from .joins import Join, NrrJoin, SemiJoin
from .reports import Report, Sink
from .rows import Filter, Project, Union
from .sets import SetOperation
from .sources import (
    NrrDeclaration,
    Operation,
    Reconstitution,
    Relation,
    Scan,
    StreamDeclaration,
)
from .timelines import Aggregate, Distinct, Group
from .windows import RowsWindow, SessionWindow, Window

__all__ = [
    "Aggregate",
    "Distinct",
    "Filter",
    "Group",
    "Join",
    "NrrDeclaration",
    "NrrJoin",
    "Operation",
    "Operator",
    "Project",
    "Reconstitution",
    "Relation",
    "Report",
    "RowsWindow",
    "Scan",
    "SemiJoin",
    "SessionWindow",
    "SetOperation",
    "Sink",
    "StreamDeclaration",
    "Union",
    "Window",
]
