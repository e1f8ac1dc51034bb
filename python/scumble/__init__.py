"""Differentially private synthetic tables.

>>> import scumble
>>> people, schema = scumble.demo(rows=5_000)
>>> synthetic = scumble.MST(epsilon=1.0, delta=1e-9).fit(people, schema).sample(1_000, seed=7)
>>> len(synthetic), synthetic.columns == people.columns
(1000, True)
"""

from ._bundle import Bundle, Check, Verification, bundle, verify
from ._demo import demo
from ._errors import (
    AssumedWarning,
    BudgetError,
    BugError,
    CriteriaError,
    DataError,
    DeadColumnWarning,
    Interrupted,
    NotFittedError,
    OutputExistsError,
    SchemaError,
    ScumbleError,
    StorageError,
    TooLargeError,
    UsageError,
)
from ._evaluate import Evaluation, evaluate
from ._ledger import Ledger, Statement
from ._methods import (
    AIM,
    MST,
    PBPGM,
    Auto,
    Independent,
    PrivBayes,
    PrivBayesNIST,
    PrivMRF,
    SmoothedHistogram,
    Synthesizer,
    load,
)
from ._model import Certificate, Model, Summary
from ._native import __version__
from ._plan import Plan, plan
from ._quality import Quality, QualityFigure
from ._release import release
from ._schema import Column, Coverage, Schema
from ._table import Table

__all__ = [
    "AIM",
    "AssumedWarning",
    "Auto",
    "BudgetError",
    "BugError",
    "Bundle",
    "Certificate",
    "Check",
    "Column",
    "Coverage",
    "CriteriaError",
    "DataError",
    "DeadColumnWarning",
    "Evaluation",
    "Independent",
    "Interrupted",
    "Ledger",
    "MST",
    "Model",
    "NotFittedError",
    "OutputExistsError",
    "PBPGM",
    "Plan",
    "PrivBayes",
    "PrivBayesNIST",
    "PrivMRF",
    "Quality",
    "QualityFigure",
    "Schema",
    "SchemaError",
    "ScumbleError",
    "SmoothedHistogram",
    "Statement",
    "StorageError",
    "Summary",
    "Synthesizer",
    "Table",
    "TooLargeError",
    "UsageError",
    "Verification",
    "__version__",
    "bundle",
    "demo",
    "evaluate",
    "load",
    "plan",
    "release",
    "verify",
]
