"""Quality of synthetic rows against the real ones. NOT differentially private: for the steward of
the real table."""

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
    """Distance of a synthetic table from the real one. NOT private: do not publish it."""

    def __init__(self, values: dict[str, Any], text: str, page: str) -> None:
        super().__init__(values, text)
        self._page = page

    def page(self, path: PathLike | None = None, *, force: bool = False) -> str:
        """Returns the page as HTML. Also writes it to ``path``, if given; an existing file is
        replaced only with ``force``."""
        if path is not None:
            _output.write_text(path, self._page, force=force)
        return self._page

    def _repr_html_(self) -> str:
        stamp, _, _ = self._text.partition("\n")
        # The stamp is outside the frame too: a notebook that is not trusted shows no frame.
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

    :param orders: numbers of columns of the compared tables
    :param count: number of tables to compare for each number of columns
    :param subgroups: columns that define subgroups by their values; by default, the first four with
        at most ten codes
    :param targets: columns for learners to predict; by default, up to eight with the fewest codes
    :param quick: skip learners, propensity scores and chi-square tests
    """
    native = checked(schema)
    with Progress(progress, "evaluated") as report:
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
            progress=report,
        )
    return Evaluation(json.loads(scores), text, page)
