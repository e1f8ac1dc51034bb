"""Adapter for synthcity.

>>> from synthcity.plugins import Plugins  # doctest: +SKIP
>>> from scumble.adapters.synthcity import plugin
>>> Plugins().add("scumble_auto", plugin("Auto", epsilon=1.0, delta=1e-9))  # doctest: +SKIP
>>> Plugins().get("scumble_auto").fit(loader).generate(1_000)  # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from . import fitted, named
from .._methods import Synthesizer
from .._native import DEFAULT_DELTA
from .._schema import Schema
from .._typing import PathLike


def plugin(
    method: str | type[Synthesizer] = "Auto",
    epsilon: float = 1.0,
    delta: float = DEFAULT_DELTA,
    *,
    schema: Schema | PathLike | None = None,
    **options: Any,
) -> Any:
    """Returns a class for ``Plugins().add``. Its constructor may override ``epsilon`` and
    ``delta``."""
    from synthcity.plugins.core.plugin import Plugin

    shown = f"scumble_{named(method).method.replace('-', '_')}"
    its_epsilon, its_delta = epsilon, delta

    class ScumblePlugin(Plugin):  # type: ignore[misc]
        def __init__(self, epsilon: float = its_epsilon, delta: float = its_delta, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.epsilon = epsilon
            self.delta = delta

        @staticmethod
        def name() -> str:
            return shown

        @staticmethod
        def type() -> str:
            return "privacy"

        @staticmethod
        def hyperparameter_space(**kwargs: Any) -> list[Any]:
            # No parameters to search: every fit would spend budget.
            return []

        def _fit(self, X: Any, *args: Any, **kwargs: Any) -> ScumblePlugin:
            self.model = fitted(X.dataframe(), method, self.epsilon, self.delta, schema, options)
            return self

        def _generate(self, count: int, syn_schema: Any, **kwargs: Any) -> Any:
            return self._safe_generate(
                lambda rows: self.model.sample(rows, into="pandas", progress=False), count, syn_schema, **kwargs
            )

    return ScumblePlugin
