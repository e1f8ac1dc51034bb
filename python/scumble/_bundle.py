"""A release as one folder: rows, noisy tables, model, certificate, report, metadata, checksums."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _html, _native, _output
from ._errors import UsageError
from ._ledger import Ledger
from ._methods import Synthesizer
from ._model import Model
from ._progress import Progress
from ._quality import Criteria, given
from ._typing import PathLike, SamplingName


class Bundle(NamedTuple):
    """A bundle that was written."""

    folder: str
    files: list[str]
    left_open: list[str]
    """Publication metadata that was not given: look for `TO BE FILLED IN`."""


class Check(NamedTuple):
    """One check of a bundle."""

    about: str
    outcome: str
    text: str


class Verification:
    """Result of verifying a bundle; true if all checks passed."""

    def __init__(self, ok: bool, checks: list[Check]) -> None:
        self.ok = ok
        self.checks = checks

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return "\n".join(f"{check.outcome:11}  {check.about}  {check.text}" for check in self.checks)

    def _repr_html_(self) -> str:
        title = "Bundle verified" if self.ok else "Bundle NOT verified"
        return _html.titled(title, _html.table(("outcome", "about", ""), ((c.outcome, c.about, c.text) for c in self.checks)))


def bundle(
    model: Model | Synthesizer | PathLike,
    folder: PathLike,
    rows: int | None = None,
    *,
    seed: int | None = None,
    sampling: SamplingName | None = None,
    date: datetime.date | str | None = None,
    title: str | None = None,
    description: str | None = None,
    version: str | None = None,
    curator: str | None = None,
    licence: str | None = None,
    contact: str | None = None,
    url: str | None = None,
    intended_use: str | None = None,
    region: str | None = None,
    ledger: Ledger | PathLike | None = None,
    sign: PathLike | None = None,
    progress: bool | None = None,
) -> Bundle:
    """Writes a release as one folder, which must not exist yet and can be published as it is. It
    spends no budget.

    If the fit checked rows, the bundle has these rows and their figures.

    The same model, rows, seed, date and texts give the same bytes. There is no ``force``: a
    published release stays as it is.

    :param ledger: ledger that the model was fitted on; its cap, what is spent and its head are
        written to ``ledger.json``
    :param sign: file of the SSH key of the publisher, which signs the list of checksums. It needs
        ``ssh-keygen``
    """
    _output.check_new(folder, hint="name another folder, or remove it first")
    said: dict[str, Any] = {
        "title": title,
        "description": description,
        "version": version,
        "curator": curator,
        "licence": licence,
        "contact": contact,
        "url": url,
        "intended_use": intended_use,
        "region": region,
    }
    return write(
        _model(model),
        folder,
        said,
        rows=rows,
        seed=seed,
        sampling=sampling,
        date=date,
        ledger=ledger,
        sign=sign,
        progress=progress,
    )


def write(
    model: Model,
    folder: PathLike,
    publisher: Mapping[str, str | None],
    *,
    rows: int | None = None,
    seed: int | None = None,
    sampling: SamplingName | None = None,
    date: datetime.date | str | None = None,
    criteria: Criteria | None = None,
    ledger: Ledger | PathLike | None = None,
    sign: PathLike | None = None,
    progress: bool | None = None,
) -> Bundle:
    """Writes a bundle whose rows were judged by criteria, if there are some."""
    with Progress(progress, "wrote the bundle") as report:
        written = _native.bundle_create(
            model._native,
            folder,
            rows=rows,
            seed=seed,
            sampling=sampling,
            date=str(date) if date is not None else _today(),
            publisher=json.dumps({name: text for name, text in publisher.items() if text is not None}),
            criteria=given(criteria),
            ledger=ledger.path if isinstance(ledger, Ledger) else ledger,
            sign=sign,
            progress=report,
        )
    made = json.loads(written)
    return Bundle(os.fspath(folder), made["files"], made["left_open"])


def verify(
    folder: PathLike,
    *,
    signers: PathLike | None = None,
    signer: str | None = None,
    progress: bool | None = None,
) -> Verification:
    """Verifies a bundle: every file against its checksum, every document and row against the
    model.

    :param signers: file of names and public keys, as OpenSSH's ``allowed_signers``; the bundle must
        be signed by one of them. Needs ``ssh-keygen``
    :param signer: name in that file that must have signed
    """
    if signer is not None and signers is None:
        raise UsageError("`signer` is a name in a file of keys", hint="give the file as `signers`")
    with Progress(progress, "verified") as report:
        found = json.loads(_native.bundle_verify(folder, signers=signers, signer=signer, progress=report))
    return Verification(found["ok"], [Check(**check) for check in found["checks"]])


def _model(model: Model | Synthesizer | PathLike) -> Model:
    if isinstance(model, Synthesizer):
        return model._fitted()
    return model if isinstance(model, Model) else Model.load(model)


def _today() -> str:
    """Returns the date of ``SOURCE_DATE_EPOCH``, or today."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if seconds is None:
        return datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    try:
        return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).date().isoformat()
    except (ValueError, OverflowError, OSError):
        hint = "give `date`, or set `SOURCE_DATE_EPOCH` to seconds since 1970"
        raise UsageError("cannot determine the day of the release", hint=hint) from None
