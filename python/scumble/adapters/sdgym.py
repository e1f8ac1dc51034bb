"""Adapter for SDGym.

>>> import sdgym  # doctest: +SKIP
>>> from scumble.adapters.sdgym import synthesizer
>>> sdgym.benchmark_single_table(  # doctest: +SKIP
...     synthesizers=[], custom_synthesizers=[synthesizer("Auto", epsilon=1.0, delta=1e-9)], sdv_datasets=["adult"]
... )
"""

from __future__ import annotations

import importlib
from typing import Any

from . import fitted
from .._methods import Synthesizer
from .._native import DEFAULT_DELTA
from .._schema import Schema
from .._typing import PathLike


def synthesizer(
    method: str | type[Synthesizer] = "Auto",
    epsilon: float = 1.0,
    delta: float = DEFAULT_DELTA,
    *,
    schema: Schema | PathLike | None = None,
    name: str | None = None,
    **options: Any,
) -> Any:
    """Returns a class for ``custom_synthesizers`` of ``sdgym.benchmark_single_table``."""
    # Imported by name, because this module has the same name.
    sdgym: Any = importlib.import_module("sdgym")

    def get_trained_synthesizer(data: Any, metadata: Any) -> Synthesizer:
        # The metadata of SDV has column types, which the frame has too, and neither bounds nor
        # categories.
        del metadata
        return fitted(data, method, epsilon, delta, schema, options)

    def sample_from_synthesizer(trained: Synthesizer, rows: int) -> Any:
        return trained.sample(rows, into="pandas", progress=False)

    shown = name or f"Scumble{method if isinstance(method, str) else method.__name__}"
    return sdgym.create_single_table_synthesizer(shown, get_trained_synthesizer, sample_from_synthesizer)
