"""Quality of synthetic rows that may be published, and criteria for it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple, TypedDict, Union

from . import _html, _native
from ._json_result import JsonResult
from ._typing import PathLike, SamplingName

Criteria = Union[PathLike, Mapping[str, Any]]
"""Criteria: the path of a file, or what such a file says."""


class GivenCriteria(TypedDict):
    """Criteria, for the native module."""

    path: str | None
    text: str | None


def given(criteria: Criteria | None) -> GivenCriteria:
    """Returns criteria for the native module, which reads files itself."""
    if criteria is None:
        return {"path": None, "text": None}
    if isinstance(criteria, Mapping):
        return {"path": None, "text": json.dumps(criteria)}
    return {"path": os.fspath(criteria), "text": None}


class GivenCheck(TypedDict):
    """The check of a fit, for the native module."""

    share: float | None
    criteria: GivenCriteria
    rows: int | None
    seed: int
    sampling: SamplingName | None


class Quality(JsonResult):
    """Released figures of the quality of synthetic rows, each with its 95 % interval, and how they
    compare with criteria. All of it may be published."""

    @property
    def figures(self) -> list[QualityFigure]:
        """The figures."""
        return [QualityFigure(*(one[name] for name in QualityFigure._fields)) for one in self._values["figures"]]

    @property
    def accepted(self) -> bool:
        """Whether all mandatory criteria are met; true if there are none."""
        return bool(self._values["accepted"])

    @property
    def criteria(self) -> list[dict[str, Any]]:
        """The criteria, each with its figure in ``measured``, its ``outcome`` (``"met"``,
        ``"missed"`` or ``"undecided"``) and ``missed_by``."""
        return list(self.to_dict()["criteria"])

    @property
    def rows(self) -> int:
        """Number of the rows that were checked."""
        return int(self._values["rows"])

    @property
    def seed(self) -> int:
        """Seed of the rows that were checked."""
        return int(self._values["seed"])

    def refusals(self) -> list[str]:
        """Returns a sentence for each mandatory criterion that is not met or was not measured."""
        return list(self._values["refusals"])

    def _repr_html_(self) -> str:
        rows = [(one.name, f"{one.value:.4g}", f"± {one.half_width:.2g}") for one in self.figures]
        judged = [(one["outcome"], one["measured"]["name"]) for one in self._values["criteria"]]
        criteria = _html.table(("criterion", ""), judged) if judged else ""
        return _html.titled("Quality of synthetic rows", _html.table(("figure", "value", "95 % interval"), rows), criteria)


class QualityFigure(NamedTuple):
    """A released figure."""

    name: str
    value: float
    half_width: float
    """Half the width of its 95 % interval."""


def of_model(native: _native.Model) -> Quality | None:
    """Returns the figures that the fit of a model released."""
    found = _native.quality(native, given(None))
    return None if found is None else Quality(json.loads(found[0]), found[1])


def judged(native: _native.Model, criteria: Criteria) -> Quality:
    """Compares the figures that the fit of a model released with criteria."""
    found = _native.quality(native, given(criteria))
    assert found is not None, "there are criteria"
    return Quality(json.loads(found[0]), found[1])
