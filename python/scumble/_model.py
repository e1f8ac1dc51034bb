"""A fitted model, and rows drawn from it."""

from __future__ import annotations

import copy
import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _frames, _html, _native, _output
from ._errors import UsageError
from ._ledger import Ledger
from ._progress import Progress
from ._quality import Criteria, Quality, given, judged, of_model
from ._schema import Schema
from ._json_result import JsonResult
from ._typing import Data, FormatName, Kind, PathLike, SamplingName


class Certificate(JsonResult):
    """The privacy certificate of a model: the epsilon and delta that may be claimed, and the
    releases behind them."""

    def __init__(self, values: dict[str, Any], guarantee: str) -> None:
        super().__init__(values, f"<scumble.Certificate: {guarantee}>")
        self.guarantee = guarantee
        """The guarantee in one sentence."""

    @property
    def epsilon(self) -> float:
        """The epsilon that may be claimed."""
        return float(self._values["epsilon"])

    @property
    def delta(self) -> float:
        """The delta that may be claimed."""
        return float(self._values["delta"])

    @property
    def assumptions(self) -> list[str]:
        """Assumptions of the claim beyond the releases: ``"domain-from-data"`` if bounds or
        categories were read off the rows, ``"multiline-records"`` if quoted fields of text files
        span lines. :attr:`guarantee` states them as sentences."""
        return list(self._values.get("assumptions", []))

    @property
    def events(self) -> list[dict[str, Any]]:
        """All releases, in order."""
        return copy.deepcopy(self._values["events"])

    def _repr_html_(self) -> str:
        goal = self._values["goal"]
        facts = [
            ("epsilon", _shown_epsilon(self.epsilon, goal["epsilon"])),
            ("delta", f"{self.delta:g}"),
            ("asked for", f"({goal['epsilon']:g}, {goal['delta']:g})"),
            ("neighbours", self._values["adjacency"]),
            ("rows per unit, at most", self._values["max_contributions"]),
            ("added up by", self._values["accounting"]),
            *(("assumes", assumption) for assumption in self.assumptions),
        ]
        releases = f"<p>{len(self._values['events'])} releases, listed in <code>.events</code></p>"
        return _html.titled("Certificate", f"<p>{_html.text(self.guarantee)}</p>", _html.table(("", ""), facts), releases)


def _shown_epsilon(claimed: float, goal: float) -> str:
    """Formats the claimed epsilon, rounded up; the goal if at least 99.9 % of it is claimed."""
    return f"{goal if claimed >= 0.999 * goal else math.ceil(claimed * 1e6) / 1e6:.12g}"


class Summary(JsonResult):
    """Summary of a model: its tables, bounds, columns and shares. All of it may be published."""

    def __init__(self, values: dict[str, Any], text: str, explanation: str, picture: str) -> None:
        super().__init__(values, text)
        self.explanation = explanation
        """Explanation of the guarantee in plain words."""
        self.picture = picture
        """Graph of the model, as SVG."""

    def _repr_html_(self) -> str:
        return self.picture + _html.preformatted(self._text)


class Model:
    """A fitted model: released values, the public schema, and the guarantee. It may be published,
    and sampled any number of times.

    Models come from ``fit`` of a method, or from files: :meth:`load`.
    """

    def __init__(self, native: _native.Model, source: _frames.Source | None = None) -> None:
        self._native = native
        self._source = source if source is None else _types_only(source)

    @classmethod
    def load(cls, path: PathLike) -> Model:
        """Reads a model file."""
        return cls(_native.Model.load(path))

    @classmethod
    def from_marginals(cls, path: PathLike, schema: Schema) -> Model:
        """Fits a model to a file of noisy tables that another party released. Reads no rows and
        spends no budget."""
        return cls(_native.Model.of_marginals(path, schema._native()))

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Writes the model file atomically. An existing file is replaced only with ``force``."""
        _output.check(path, force=force)
        self._native.save(path)

    def sample(
        self,
        rows: int | None = None,
        *,
        seed: int | None = None,
        sampling: SamplingName | None = None,
        where: Mapping[str, object] | Iterable[str] | None = None,
        rebalance: Mapping[str, Mapping[object, float]] | None = None,
        into: Kind | None = None,
        progress: bool | None = None,
    ) -> Any:
        """Draws synthetic rows; this spends no budget.

        Returns the kind of table that the model was fitted to, or the kind given by ``into``.

        :param rows: number of rows; by default, the released number of rows of the real table
        :param seed: the same seed and model give the same rows; it has no influence on the noise
        :param sampling: sampling method; by default ``matched`` up to 131,072 rows, and
            ``low-variance`` above
        :param where: draw only rows that meet these conditions: ``{"sex": "female", "region":
            ["north", "south"], "age": range(20, 40)}``; ``None`` matches a missing value. Also
            takes conditions as on the command line: ``["age=20..39"]``
        :param rebalance: shares of the values of one column: ``{"sex": {"female": 0.5, "male":
            0.5}}``
        """
        kind = into or (self._source.kind if self._source else "table")
        table = self._draw(rows, seed, sampling, where, rebalance, None, progress)
        return _frames.into_kind(table, kind, self._source, self.schema)

    def write(
        self,
        path: PathLike,
        rows: int | None = None,
        *,
        seed: int | None = None,
        sampling: SamplingName | None = None,
        where: Mapping[str, object] | Iterable[str] | None = None,
        rebalance: Mapping[str, Mapping[object, float]] | None = None,
        force: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Writes synthetic rows to a file (.csv, .tsv, .parquet, .arrow). They are not held in
        memory, so their number is not limited.

        The file is byte-identical to that of ``scumble sample`` with the same model, rows, seed and
        sampling. An existing file is replaced only with ``force``.
        """
        _output.check(path, force=force)
        self._draw(rows, seed, sampling, where, rebalance, path, progress)

    def _draw(
        self,
        rows: int | None,
        seed: int | None,
        sampling: SamplingName | None,
        where: Mapping[str, object] | Iterable[str] | None,
        rebalance: Mapping[str, Mapping[object, float]] | None,
        path: PathLike | None,
        progress: bool | None,
    ) -> _native.Table:
        with Progress(progress, "sampled") as report:
            return self._native.sample(
                rows=rows,
                seed=seed,
                sampling=sampling,
                conditions=_conditions(where),
                rebalance=_shares(rebalance),
                path=path,
                progress=report,
            )

    def write_marginals(self, path: PathLike, *, force: bool = False) -> None:
        """Writes the noisy tables that the model was fitted to, as JSON, for other programs."""
        _output.check(path, force=force)
        self._native.write_marginals(path)

    @property
    def rows(self) -> int:
        """Released number of rows."""
        return self._native.rows

    @property
    def schema(self) -> Schema:
        """Schema of the fitted table."""
        return Schema(self._native.schema.spec())

    @property
    def learned_columns(self) -> dict[str, str]:
        """What was found of each column that was learned from rows, in words; empty if a schema
        declared them all."""
        return dict(self._native.learned_columns())

    @property
    def quality(self) -> Quality | None:
        """Released figures of the quality of its rows, each with its 95 % interval; ``None`` if the
        fit checked none. They may be published. ``rows`` and ``seed`` say which rows were
        checked."""
        return of_model(self._native)

    def judge(self, criteria: Criteria) -> Quality:
        """Compares the released figures of its rows with criteria; this spends no budget.

        :param criteria: path of a file of criteria, or what it says, such as ``{"criteria":
            [{"tables": 2, "atMost": 0.1}]}``. A mandatory criterion about a figure that the fit
            did not measure is not met
        """
        if self.quality is None:
            raise UsageError("the fit of this model checked no rows", hint="give `check_share` to `fit`, or call `check`")
        return judged(self._native, criteria)

    def check(
        self,
        data: Data,
        *,
        epsilon: float,
        delta: float = _native.DEFAULT_DELTA,
        criteria: Criteria | None = None,
        workload: Sequence[Mapping[str, Any]] = (),
        rows: int | None = None,
        seed: int = 0,
        sampling: SamplingName | None = None,
        ledger: Ledger | PathLike | None = None,
        resume: bool = False,
        anew: bool = False,
        accept_weak_privacy: bool = False,
        format: FormatName | None = None,
        progress: bool | None = None,
    ) -> Quality:
        """Draws rows of the model and compares them with the real ones, with noise, so that the
        figures may be published. This spends a budget of its own: ``epsilon`` and ``delta``.

        :param data: the real table
        :param criteria: path of a file of criteria, or what it says; by default, the usual figures
            are measured
        :param workload: without criteria: tables whose mean and largest error are measured as well
        :param rows: number of rows; by default, the released number of rows of the real table
        :param seed: seed of the rows; :meth:`sample` draws the same rows with it
        :param ledger: ledger of the table, which refuses a check over its cap; by default, spending
            is not tracked
        :param resume: resume an interrupted check with the same arguments, without spending again
        :param anew: start a new check even if one with the same arguments was interrupted
        """
        with Progress(progress, "compared") as report:
            values, text = _native.check_rows(
                self._native,
                _frames.Source(data).native,
                epsilon=epsilon,
                delta=delta,
                rows=rows,
                seed=seed,
                sampling=sampling,
                criteria=given(criteria),
                workload=json.dumps(list(workload)),
                ledger=ledger.path if isinstance(ledger, Ledger) else ledger,
                resume=resume,
                anew=anew,
                accept_weak_privacy=accept_weak_privacy,
                format=format,
                progress=report,
            )
        return Quality(json.loads(values), text)

    @property
    def method(self) -> str | None:
        """Name of the method; ``None`` if the tables were released by another party."""
        method = self._native.method
        return method[0] if method else None

    @property
    def guarantee(self) -> str:
        """The guarantee in one sentence."""
        return self._native.guarantee

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the model file."""
        return self._native.fingerprint

    @property
    def certificate(self) -> Certificate | None:
        """The budget spent, and the guarantee that may be claimed; ``None`` if the tables were
        released by another party."""
        values = self._native.certificate
        return None if values is None else Certificate(json.loads(values), self.guarantee)

    def inspect(self) -> Summary:
        """Returns a summary of the model."""
        values, text = self._native.summary()
        return Summary(json.loads(values), text, self._native.explanation()[1], self._native.picture())

    def report(self, path: PathLike | None = None, *, title: str | None = None, force: bool = False) -> str:
        """Returns the report for publication, as HTML. Also writes it to ``path``, if given.

        :param title: title of the table on the page; by default, the title of the schema
        :param force: replace the file if it exists
        """
        page = self._native.page(title=title)
        if path is not None:
            _output.write_text(path, page, force=force)
        return page

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored, (self._native.to_bytes(),))

    def __repr__(self) -> str:
        return f"<scumble.Model of {len(self.schema)} columns by {self.method or 'external tables'}: {self.guarantee}>"

    def _repr_html_(self) -> str:
        return _html.titled(f"Model by {self.method or 'external tables'}", f"<p>{_html.text(self.guarantee)}</p>") + (
            self._native.picture()
        )


def _restored(native: bytes) -> Model:
    return Model(_native.Model.from_bytes(native))


def _types_only(source: _frames.Source) -> _frames.Source:
    """Returns a copy without the rows, which a model must not hold."""
    kept = copy.copy(source)
    kept.native = None
    return kept


def _conditions(where: Mapping[str, object] | Iterable[str] | None) -> list[str]:
    if where is None:
        return []
    if not isinstance(where, Mapping):
        if isinstance(where, str):
            return [where]
        return list(where)
    return [f"{column}={_condition(value)}" for column, value in where.items()]


def _condition(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, range):
        if value.step != 1 or len(value) == 0:
            raise UsageError("the range of a condition must be nonempty and have step 1", hint="give `range(20, 40)`")
        return f"{value.start}..{value.stop - 1}"
    if isinstance(value, (list, tuple, set, frozenset)):
        return "|".join(_condition(one) for one in value)
    return str(value)


def _shares(rebalance: Mapping[str, Mapping[object, float]] | None) -> tuple[str, str] | None:
    if not rebalance:
        return None
    if len(rebalance) != 1:
        raise UsageError("only one column can be rebalanced", hint="leave out all columns but one")
    ((column, shares),) = rebalance.items()
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(("value", "share"))
    writer.writerows((_condition(value), repr(float(share))) for value, share in shares.items())
    return column, lines.getvalue()
