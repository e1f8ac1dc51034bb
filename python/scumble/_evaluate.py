"""Quality against the real rows. NOT differentially private: for the steward of the real table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from . import _frames, _html, _native, _output
from ._progress import Progress
from ._schema import Schema, checked
from ._json_result import JsonResult
from ._typing import Data, PathLike


class Evaluation(JsonResult):
    """How near a synthetic table is to the real one. NOT private: it must not be published."""

    def __init__(self, told: dict[str, Any], text: str, page: str) -> None:
        super().__init__(told, text)
        self._page = page

    def page(self, path: PathLike | None = None, *, force: bool = False) -> str:
        """The steward's page, as HTML; written to a file if there is a path, which is replaced only with ``force``."""
        if path is not None:
            _output.write_text(path, self._page, force=force)
        return self._page

    def _repr_html_(self) -> str:
        stamp, _, _ = self._text.partition("\n")
        # The stamp stands outside the frame too: a notebook that is not trusted shows none.
        return _html.banner(stamp) + _html.framed(self._page, title="Evaluation")


def evaluate(
    real: Data,
    synthetic: Data,
    schema: Schema | PathLike,
    *,
    orders: Sequence[int] = (1, 2, 3, 4, 5),
    count: int = 300,
    subgroups: Sequence[str] | None = None,
    targets: Sequence[str] | None = None,
    quick: bool = False,
    seed: int = 0,
    progress: bool | None = None,
) -> Evaluation:
    """Compares a synthetic table with the real one. The result is computed from the real rows without noise.

    :param orders: how many columns the compared tables span
    :param count: how many tables of each
    :param subgroups: columns whose values make subgroups
    :param targets: columns for learners to predict
    :param quick: leave out learners, propensity scores and chi-square tests
    """
    native = checked(schema)
    with Progress(progress, "evaluated") as told:
        scores, text, page = _native.evaluate(
            _frames.Source(real).native,
            _frames.Source(synthetic).native,
            native,
            orders=list(orders),
            count=count,
            subgroups=None if subgroups is None else list(subgroups),
            targets=None if targets is None else list(targets),
            quick=quick,
            seed=seed,
            progress=told,
        )
    return Evaluation(json.loads(scores), text, page)
