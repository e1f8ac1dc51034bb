"""A release in one call: fit, draw, check, and write a bundle if criteria are met."""

from __future__ import annotations

import datetime
import os

from . import _native, _output
from ._bundle import Bundle, write
from ._errors import CriteriaError
from ._ledger import Ledger
from ._methods import Synthesizer
from ._quality import Criteria, given, judged
from ._schema import Schema
from ._typing import Data, PathLike, SamplingName


def release(
    data: Data,
    folder: PathLike,
    schema: Schema | PathLike | None = None,
    *,
    by: Synthesizer,
    criteria: Criteria,
    check_share: float = 0.05,
    rows: int | None = None,
    seed: int = 0,
    sampling: SamplingName | None = None,
    ledger: Ledger | PathLike | None = None,
    resume: bool = False,
    anew: bool = False,
    accept_weak_privacy: bool = False,
    progress: bool | None = None,
    date: datetime.date | str | None = None,
    sign: PathLike | None = None,
    **texts: str,
) -> Bundle:
    """Fits a model, draws rows, checks them against criteria, and writes a bundle if they are met:
    all in the budget of ``by``, under one certificate.

    If a mandatory criterion is not met, no bundle is written, the budget is spent, and
    :class:`CriteriaError` has the figures. The model is kept beside the folder, as
    ``FOLDER.model``, so that other rows can be drawn from it for free, and checked for a budget of
    their own: :meth:`Model.check`.

    :param folder: folder to write; it must not exist yet
    :param by: the method with its budget, such as ``scumble.Auto(1.0, 1e-9)``
    :param criteria: path of a file of criteria, or what it says
    :param check_share: share of the budget for the check
    :param seed: seed of the rows; it is written into the bundle, and has no influence on the noise
    :param sign: file of the SSH key of the publisher; it is tried before budget is spent
    :param texts: publication metadata, as for :func:`bundle`: ``title``, ``curator`` and the others
    """
    kept = os.fspath(folder) + ".model"
    _native.check_folder_name(folder)
    _output.check_new(folder, hint="name another folder, or remove it first")
    _output.check_new(kept, hint="it is the model of a release that wrote no bundle: remove it, or name another folder")
    if sign is not None:
        _native.try_key(sign)
    by._fit(
        data,
        schema,
        check={"share": check_share, "criteria": given(criteria), "rows": rows, "seed": seed, "sampling": sampling},
        ledger=ledger,
        resume=resume,
        anew=anew,
        accept_weak_privacy=accept_weak_privacy,
        save_to=kept,
        progress=progress,
    )
    quality = judged(by._fitted()._native, criteria)
    if not quality.accepted:
        raise CriteriaError(quality.refusals(), kept)
    written = write(
        by._fitted(), folder, texts, criteria=criteria, date=date, ledger=ledger, sign=sign, progress=progress
    )
    # The bundle has the model.
    os.unlink(kept)
    return written
