"""The methods, one class each. They differ in what they measure; all have the interface of
``Synthesizer``."""

from __future__ import annotations

import inspect as _inspect
import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeVar

from . import _frames, _native, _output
from ._errors import AssumedWarning, DeadColumnWarning, NotFittedError, UsageError
from ._ledger import Ledger
from ._model import Certificate, Model, Summary
from ._progress import Progress
from ._quality import Criteria, GivenCheck, given
from ._schema import Schema, checked
from ._typing import Data, FormatName, Kind, PathLike, SamplingName

_Self = TypeVar("_Self", bound="Synthesizer")


class Synthesizer:
    """Base class of all methods: ``fit``, ``sample``, ``write``, ``save``, ``load``,
    ``certificate``, ``inspect``, ``report``.

    ``epsilon`` and ``delta`` are the budget of a fit. Parameters are attributes. Nothing happens
    before ``fit``, which returns the object itself. The methods of the fitted model are available
    on the object; the model itself is ``model_``.
    """

    method: ClassVar[str]
    """Name of the method on the command line and in files."""

    epsilon: float
    delta: float
    model_: Model

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon = epsilon
        self.delta = delta

    def fit(
        self: _Self,
        data: Data,
        schema: Schema | PathLike | None = None,
        *,
        unit: str | None = None,
        max_rows: int | None = None,
        learn_share: float | None = None,
        dialect: Mapping[str, Any] | None = None,
        check_share: float | None = None,
        criteria: Criteria | None = None,
        ledger: Ledger | PathLike | None = None,
        resume: bool = False,
        anew: bool = False,
        accept_weak_privacy: bool = False,
        save_to: PathLike | None = None,
        force: bool = False,
        format: FormatName | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        spill_directory: PathLike | None = None,
        push_down: bool = False,
        progress: bool | None = None,
    ) -> _Self:
        """Reads a table and fits a model to it. This spends privacy budget.

        :param data: paths, globs, addresses of tables of PostgreSQL and of ADBC drivers, or a table of pandas, polars,
            pyarrow, duckdb or any other library that supports Arrow's C interface. Tables in memory
            are not copied, unless their library copies them
        :param schema: the schema of the table, or the path of a schema file. Without one, types, bounds
            and categories are learned from the rows, for a part of the budget; categories are then
            texts of the data that many rows share, and public. The learned schema is ``model_.schema``
        :param unit: without a schema: the column that identifies people, who may have several rows
        :param max_rows: without a schema: the most rows of one person; by default 1
        :param learn_share: without a schema: the share of the budget for learning; by default 0.35
        :param dialect: without a schema: how text files are written, as in a schema file, such as
            ``{"delimiter": ",", "columnNames": ["age", "sex"]}`` for a file without a header
        :param check_share: share of the budget for comparing synthetic rows with the real ones, with noise, so
            that their quality may be published: see :attr:`Model.quality`. By default nothing is compared, or
            0.05 with ``criteria``
        :param criteria: path of a file of criteria, or what it says: their figures are measured in place of the
            usual ones, and :meth:`Model.judge` compares them with their bounds
        :param ledger: ledger of the table, which refuses a fit over its cap; by default, spending
            is not tracked
        :param resume: resume an interrupted fit with the same arguments, without spending again
        :param anew: start a new fit even if one with the same arguments was interrupted; the budget
            reserved for that one stays spent
        :param accept_weak_privacy: accept an epsilon above 10, a delta above 1e-4, or a delta of at
            least one over the number of rows
        :param save_to: path of the model file to write; with a ledger, a fit that is not saved is
            lost with the process
        :param force: replace the file at ``save_to`` if it exists; by default, the fit is then
            refused before anything is spent
        :param format: format of the files; by default, inferred from their names
        :param threads: number of threads that read; by default, the number of processors
        :param memory_limit: memory limit for rows and counts, such as ``"4GiB"``; by default, half
            of the machine's memory
        :param spill_directory: folder for spilled data, which is kept in a directory that only you
            can read
        :param push_down: let the databases of the tables count their rows themselves and send counts
            only: PostgreSQL, and DuckDB by its ADBC driver; the counts are the same
        :param progress: whether to show a progress bar; by default, in terminals and notebooks
        """
        check: GivenCheck | None = None
        if check_share is not None or criteria is not None:
            check = {"share": check_share, "criteria": given(criteria), "rows": None, "seed": 0, "sampling": None}
        return self._fit(
            data,
            schema,
            unit=unit,
            max_rows=max_rows,
            learn_share=learn_share,
            dialect=dialect,
            check=check,
            ledger=ledger,
            resume=resume,
            anew=anew,
            accept_weak_privacy=accept_weak_privacy,
            save_to=save_to,
            force=force,
            format=format,
            threads=threads,
            memory_limit=memory_limit,
            spill_directory=spill_directory,
            push_down=push_down,
            progress=progress,
        )

    def _fit(
        self: _Self,
        data: Data,
        schema: Schema | PathLike | None,
        *,
        unit: str | None = None,
        max_rows: int | None = None,
        learn_share: float | None = None,
        dialect: Mapping[str, Any] | None = None,
        check: GivenCheck | None,
        ledger: Ledger | PathLike | None,
        resume: bool,
        anew: bool,
        accept_weak_privacy: bool,
        save_to: PathLike | None,
        force: bool = False,
        format: FormatName | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        spill_directory: PathLike | None = None,
        push_down: bool = False,
        progress: bool | None,
    ) -> _Self:
        """Fits, and checks rows if ``check`` is given."""
        path = ledger.path if isinstance(ledger, Ledger) else ledger
        if save_to is not None:
            named = [one for one in (schema, path) if isinstance(one, (str, os.PathLike))]
            _output.check(save_to, force=force, inputs=[*named, *(_frames.paths_of(data) or [])])
        native = None if schema is None else checked(schema)
        _warn_of_assumed([] if native is None else native.assumed())
        options = self._options()
        written = _frames.dialect_of(data, dialect)
        source = _frames.Source(data)
        with Progress(progress, "fitted") as report:
            fitted = _native.Model.fit(
                source.native,
                native,
                unit=unit,
                max_rows=max_rows,
                learn_share=learn_share,
                dialect=written,
                check=check,
                method=self.method,
                options=options,
                epsilon=self.epsilon,
                delta=self.delta,
                ledger=path,
                resume=resume,
                anew=anew,
                accept_weak_privacy=accept_weak_privacy,
                save_to=save_to,
                format=format,
                threads=threads,
                memory_limit=memory_limit,
                spill_directory=spill_directory,
                push_down=push_down,
                progress=report,
            )
        for sentence in fitted.dead_columns():
            warnings.warn(sentence, DeadColumnWarning, stacklevel=3)
        self.model_ = Model(fitted, source)
        return self

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
        """Draws synthetic rows: see :meth:`Model.sample`."""
        return self._fitted().sample(
            rows, seed=seed, sampling=sampling, where=where, rebalance=rebalance, into=into, progress=progress
        )

    def fit_sample(self, data: Data, schema: Schema | PathLike | None = None, rows: int | None = None, **fit: Any) -> Any:
        """Fits a model and draws synthetic rows from it."""
        return self.fit(data, schema, **fit).sample(rows)

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
        """Draws synthetic rows into a file: see :meth:`Model.write`."""
        self._fitted().write(
            path, rows, seed=seed, sampling=sampling, where=where, rebalance=rebalance, force=force, progress=progress
        )

    def write_marginals(self, path: PathLike, *, force: bool = False) -> None:
        """Writes the noisy tables of the model: see :meth:`Model.write_marginals`."""
        self._fitted().write_marginals(path, force=force)

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Writes the model file atomically. An existing file is replaced only with ``force``."""
        self._fitted().save(path, force=force)

    @classmethod
    def load(cls: type[_Self], path: PathLike) -> _Self:
        """Reads a model file of this method; ``Synthesizer.load`` reads one of any method."""
        model = Model.load(path)
        recorded = model._native.method
        if recorded is None or model.certificate is None:
            raise UsageError("the tables of this model were released by another party", hint="read it with `scumble.Model.load`")
        name, written = recorded
        kind = _METHODS[name]
        if not issubclass(kind, cls):
            raise UsageError(f"this is a model of `{name}`", hint=f"read it with `scumble.{kind.__name__}.load`")
        goal = model.certificate.to_dict()["goal"]
        loaded = kind._of_file(goal["epsilon"], goal["delta"], _options_of(written))
        loaded.model_ = model
        return loaded  # type: ignore[return-value]

    @classmethod
    def _of_file(cls, epsilon: float, delta: float, options: dict[str, Any]) -> Synthesizer:
        return cls(epsilon, delta, **options)

    @property
    def certificate(self) -> Certificate:
        """The budget spent, and the guarantee that may be claimed."""
        certificate = self._fitted().certificate
        assert certificate is not None, "a method measures, so it has a certificate"
        return certificate

    @property
    def guarantee(self) -> str:
        """The guarantee in one sentence."""
        return self._fitted().guarantee

    @property
    def schema(self) -> Schema:
        """Schema of the fitted table."""
        return self._fitted().schema

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the model file."""
        return self._fitted().fingerprint

    def inspect(self) -> Summary:
        """Returns a summary of the model."""
        return self._fitted().inspect()

    def report(self, path: PathLike | None = None, *, force: bool = False) -> str:
        """Returns the report for publication, as HTML. Also writes it to ``path``, if given; an
        existing file is replaced only with ``force``."""
        return self._fitted().report(path, force=force)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the parameters by name."""
        del deep  # There are no estimators inside.
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self: _Self, **parameters: Any) -> _Self:
        """Sets parameters by name. A model that is already fitted does not change."""
        for name, value in parameters.items():
            if name not in self._parameters():
                raise UsageError(
                    f"`{type(self).__name__}` has no parameter `{name}`", hint=f"it has {', '.join(self._parameters())}"
                )
            setattr(self, name, value)
        return self

    @classmethod
    def _parameters(cls) -> list[str]:
        return [name for name in _inspect.signature(cls.__init__).parameters if name != "self"]

    def _options(self) -> list[str]:
        """Returns the options of the method, as on the command line."""
        names = [name for name in self._parameters() if name not in ("epsilon", "delta")]
        return [f"{name}={json.dumps(getattr(self, name))}" for name in names]

    def _fitted(self) -> Model:
        model: Model | None = getattr(self, "model_", None)
        if model is None:
            raise NotFittedError("nothing was fitted yet", hint="call `fit` first, or `load` a model")
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __repr__(self) -> str:
        defaults = _inspect.signature(type(self).__init__).parameters
        parameters = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if name in ("epsilon", "delta") or value != defaults[name].default
        ]
        return f"{type(self).__name__}({', '.join(parameters)})"

    def _repr_html_(self) -> str:
        model: Model | None = getattr(self, "model_", None)
        from . import _html

        return _html.titled(repr(self)) + (model._repr_html_() if model is not None else "<p>not fitted yet</p>")


def _warn_of_assumed(columns: list[str]) -> None:
    if columns:
        named = ", ".join(f"`{name}`" for name in columns)
        warnings.warn(
            "the guarantee holds only if the bounds and categories of these columns were declared without looking at the data:"
            f' {named}; mark them `source="public"` once that is sure',
            AssumedWarning,
            stacklevel=4,
        )


def _options_of(written: str) -> dict[str, Any]:
    method = json.loads(written)
    return {} if isinstance(method, str) else dict(next(iter(method.values())))


class _WithWorkload(Synthesizer):
    """A method that measures some tables better than others.

    ``workload`` is a list of tables such as ``{"columns": ["age", "income"], "weight": 2}``, and
    ``target`` is a column whose relations with every other column are added to it. Neither may be
    chosen by looking at the data.
    """

    workload: Sequence[Mapping[str, Any]]
    target: str | None

    def _options(self) -> list[str]:
        of_workload = ("workload=", "target=")
        options = [option for option in super()._options() if not option.startswith(of_workload)]
        pairs = [] if self.target is None else [{"target": self.target}]
        return [*options, f"workload={json.dumps([*self.workload, *pairs])}"]


class Auto(_WithWorkload):
    """Selects in rounds which columns to count together, and fits a Markov random field to the
    noisy counts.

    Has the smallest error on most tables. Needs a delta above 0. ``effort`` is the time that a fit
    may take: seconds, up to half a minute, or minutes for a table of twenty columns.

    Tables of ``workload``, a list such as ``[{"columns": ["age", "income"], "weight": 2}]``, are
    measured better than others; so are all pairs with the column ``target``.
    """

    method = "auto"

    def __init__(
        self,
        epsilon: float,
        delta: float,
        *,
        one_way_share: float = 0.1,
        choice_share: float = 0.07,
        rounds_per_column: float = 1.5,
        last_round: float = 2.0,
        most_columns: int = 6,
        candidates: int = 1_000,
        model_cells: int = 200_000,
        noise_penalty: float = 0.7,
        spread: float | None = 0.7,
        large_column: int = 1_024,
        groups: int = 64,
        row_share: float | None = 0.4,
        parities: bool = True,
        effort: Literal["low", "normal", "high"] = "normal",
        workload: Sequence[Mapping[str, Any]] = (),
        target: str | None = None,
    ) -> None:
        super().__init__(epsilon, delta)
        self.one_way_share = one_way_share
        self.choice_share = choice_share
        self.rounds_per_column = rounds_per_column
        self.last_round = last_round
        self.most_columns = most_columns
        self.candidates = candidates
        self.model_cells = model_cells
        self.noise_penalty = noise_penalty
        self.spread = spread
        self.large_column = large_column
        self.groups = groups
        self.row_share = row_share
        self.parities = parities
        self.effort = effort
        self.workload = workload
        self.target = target


class AIM(_WithWorkload):
    """AIM (2022): selects tables for a workload in rounds. Needs a delta above 0.

    ``workload`` is a list of tables such as ``{"columns": ["age", "income"], "weight": 2}``, and
    ``target`` adds all pairs with a column; by default, the workload is all tables over
    ``workload_columns`` columns.
    """

    method = "aim"

    def __init__(
        self,
        epsilon: float,
        delta: float,
        *,
        workload_columns: int = 3,
        workload: Sequence[Mapping[str, Any]] = (),
        rounds_per_column: float = 16.0,
        choice_share: float = 0.1,
        model_cells: int = 500_000,
        candidates: int = 1_000,
        spread: float | None = 1.0,
        accounting: Literal["gdp", "zcdp"] = "gdp",
        target: str | None = None,
    ) -> None:
        super().__init__(epsilon, delta)
        self.workload_columns = workload_columns
        self.workload = workload
        self.rounds_per_column = rounds_per_column
        self.choice_share = choice_share
        self.model_cells = model_cells
        self.candidates = candidates
        self.spread = spread
        self.accounting = accounting
        self.target = target


class MST(_WithWorkload):
    """MST: a tree of the pairs of columns with the most mutual information; fits in about a second.
    Needs a delta above 0.

    Pairs of columns within a table of ``workload``, a list such as
    ``[{"columns": ["age", "income"], "weight": 2}]``, come before others; so do pairs with the
    column ``target``.
    """

    method = "mst"

    def __init__(
        self,
        epsilon: float,
        delta: float,
        *,
        merge_below: float = 3.0,
        spread: float | None = None,
        accounting: Literal["gdp", "zcdp"] = "gdp",
        workload: Sequence[Mapping[str, Any]] = (),
        target: str | None = None,
    ) -> None:
        super().__init__(epsilon, delta)
        self.merge_below = merge_below
        self.spread = spread
        self.accounting = accounting
        self.workload = workload
        self.target = target


class PrivMRF(Synthesizer):
    """PrivMRF (2021): a Markov random field. Needs a delta above 0.

    ``profile="paper"`` follows the paper; ``"best"`` is :class:`Auto`. ``options`` are the options
    of the profile, by name.
    """

    method = "privmrf"

    def __init__(
        self,
        epsilon: float,
        delta: float,
        *,
        profile: Literal["best", "paper"] = "best",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(epsilon, delta)
        self.profile = profile
        self.options = options

    def _options(self) -> list[str]:
        options = {"profile": self.profile, **(self.options or {})}
        return [f"{name}={json.dumps(value)}" for name, value in options.items()]

    @classmethod
    def _of_file(cls, epsilon: float, delta: float, options: dict[str, Any]) -> Synthesizer:
        profile = options.pop("profile")
        return cls(epsilon, delta, profile=profile, options=options)


class PrivBayes(Synthesizer):
    """PrivBayes (2014): a Bayesian network selected by the exponential mechanism. Pure differential
    privacy."""

    method = "privbayes"

    def __init__(
        self,
        epsilon: float,
        delta: float = 0.0,
        *,
        beta: float = 0.3,
        theta: float = 4.0,
        degree: int | None = None,
        score: Literal["auto", "f", "r", "i"] = "auto",
        encoding: Literal["vanilla", "binary", "hierarchical"] = "vanilla",
        group: int = 4,
    ) -> None:
        super().__init__(epsilon, delta)
        self.beta = beta
        self.theta = theta
        self.degree = degree
        self.score = score
        self.encoding = encoding
        self.group = group


class PBPGM(Synthesizer):
    """The network of :class:`PrivBayes` as a graphical model: the most accurate method for pure
    differential privacy."""

    method = "pb-pgm"

    def __init__(
        self,
        epsilon: float,
        delta: float = 0.0,
        *,
        beta: float = 0.3,
        theta: float = 4.0,
        degree: int | None = None,
        score: Literal["auto", "f", "r", "i"] = "auto",
        encoding: Literal["vanilla", "binary"] = "vanilla",
        group: int = 4,
    ) -> None:
        super().__init__(epsilon, delta)
        self.beta = beta
        self.theta = theta
        self.degree = degree
        self.score = score
        self.encoding = encoding
        self.group = group


class PrivBayesNIST(Synthesizer):
    """A Bayesian network built on noisy scores of pairs: the entry to the NIST challenge of 2018.
    Needs a delta above 0."""

    method = "privbayes-nist"

    def __init__(
        self,
        epsilon: float,
        delta: float,
        *,
        network_share: float = 0.2,
        group_width: int = 8,
        consistency: Literal["enforced", "none"] = "enforced",
        probabilities: Literal["nearest", "clipped"] = "nearest",
    ) -> None:
        super().__init__(epsilon, delta)
        self.network_share = network_share
        self.group_width = group_width
        self.consistency = consistency
        self.probabilities = probabilities


class Independent(Synthesizer):
    """One noisy table per column; the synthetic columns are independent of each other."""

    method = "independent"

    def __init__(self, epsilon: float, delta: float) -> None:
        super().__init__(epsilon, delta)


class SmoothedHistogram(Synthesizer):
    """Draws rows from the smoothed table of all columns: for few columns with few values, and a
    public number of rows."""

    method = "smoothed-histogram"

    def __init__(self, epsilon: float, delta: float, *, rows: int | None = None) -> None:
        super().__init__(epsilon, delta)
        self.rows = rows


_METHODS: dict[str, type[Synthesizer]] = {
    kind.method: kind
    for kind in (Auto, AIM, MST, PrivMRF, PrivBayes, PBPGM, PrivBayesNIST, Independent, SmoothedHistogram)
}


def load(path: PathLike) -> Synthesizer:
    """Reads a model file of any method."""
    return Synthesizer.load(path)
