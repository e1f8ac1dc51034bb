"""Predictions of error and cost, before any row is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from . import _html, _native
from ._methods import _METHODS, Synthesizer
from ._schema import Schema, checked
from ._json_result import JsonResult
from ._typing import PathLike

_AROUND = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Factors of the epsilons in the picture of a single epsilon: a line needs several points."""


class Plan(JsonResult):
    """Predictions for fits: what they measure, noise, expected errors, memory and time."""

    def __init__(self, native: _native.Plan, draw: Callable[[], _native.Plan]) -> None:
        super().__init__(json.loads(native.json()), native.text())
        self._draw = draw

    @property
    def picture(self) -> str:
        """Expected errors against epsilon, as SVG; for a single epsilon, values around it are
        added."""
        return self._draw().picture()

    def _repr_html_(self) -> str:
        return self.picture + _html.preformatted(self._text)


def plan(
    schema: Schema | PathLike,
    rows: int,
    epsilon: float | Sequence[float],
    delta: float = _native.DEFAULT_DELTA,
    *,
    methods: str | Synthesizer | type[Synthesizer] | Sequence[str | Synthesizer | type[Synthesizer]] | None = None,
) -> Plan:
    """Predicts what fits measure and cost, without reading any data.

    :param rows: approximate number of rows
    :param epsilon: one or several, to compare
    :param methods: names, classes or instances, which give options but not their epsilon; ``"all"``
        for all methods. By default, the recommended one
    """
    native, named = checked(schema), _methods(methods)
    epsilons = [epsilon] if isinstance(epsilon, (int, float)) else list(epsilon)

    def forecast(epsilons: Sequence[float]) -> _native.Plan:
        return _native.plan(native, named, [(float(one), delta) for one in epsilons], rows)

    planned = forecast(epsilons)
    if len(epsilons) > 1:
        return Plan(planned, lambda: planned)
    return Plan(planned, lambda: forecast([epsilons[0] * factor for factor in _AROUND]))


def _methods(
    methods: str | Synthesizer | type[Synthesizer] | Sequence[str | Synthesizer | type[Synthesizer]] | None,
) -> list[tuple[str | None, list[str]]]:
    if methods is None:
        return [(None, [])]
    if methods == "all":
        return [(name, []) for name in _METHODS]
    if isinstance(methods, (str, Synthesizer, type)):
        methods = [methods]
    return [_method(one) for one in methods]


def _method(method: str | Synthesizer | type[Synthesizer]) -> tuple[str, list[str]]:
    if isinstance(method, str):
        return method, []
    if isinstance(method, type):
        return method.method, []
    return method.method, method._options()
