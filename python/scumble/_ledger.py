"""What was ever spent on a table."""

from __future__ import annotations

import json
import os

from . import _html, _native, _output
from ._schema import Schema, checked
from ._json_result import JsonResult
from ._typing import AccountingName, PathLike


class Statement(JsonResult):
    """What a ledger holds: its cap, what was spent, what is left, and every fit."""

    def _repr_html_(self) -> str:
        return _html.titled("Ledger", _html.preformatted(self._text))


class Ledger:
    """The ledger of a table: one cap for all fits that name it, across processes and crashes.

    The object is a path and nothing more: the file is opened for every question and closed again, so that processes that are forked do
    not share it.
    """

    def __init__(self, path: PathLike) -> None:
        """A ledger that exists; :meth:`create` makes one."""
        self.path = os.fspath(path)

    @classmethod
    def create(
        cls,
        path: PathLike,
        schema: Schema | PathLike,
        *,
        epsilon: float,
        delta: float,
        accounting: AccountingName | None = None,
        dataset: str | None = None,
        accept_weak_privacy: bool = False,
    ) -> Ledger:
        """Makes the ledger of a table, with a cap on all that will ever be released from it.

        A ledger that exists is never replaced: what was spent would be forgotten.

        :param schema: whose privacy terms every fit on the ledger has to have
        :param accounting: how fits are added up; ``pure`` if delta is 0 and ``gdp`` otherwise, without it
        :param dataset: what to call the table; the name of the file without it
        :param accept_weak_privacy: accept an epsilon above 10 or a delta above 1e-4
        """
        _output.check_new(path, hint="go on with it by `Ledger(path)`, or create another one at another path")
        name = dataset if dataset is not None else os.path.splitext(os.path.basename(os.fspath(path)))[0]
        _native.ledger_create(
            path,
            checked(schema),
            epsilon=epsilon,
            delta=delta,
            accounting=accounting,
            dataset=name,
            accept_weak_privacy=accept_weak_privacy,
        )
        return cls(path)

    def show(self) -> Statement:
        """What was spent, by which fits, and what is left. Every byte of the ledger is checked on the way."""
        told, text = _native.ledger_statement(self.path)
        return Statement(json.loads(told), text)

    def __repr__(self) -> str:
        return f"scumble.Ledger({self.path!r})"

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()
