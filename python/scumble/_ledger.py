"""The budget spent on a table, across all fits."""

from __future__ import annotations

import json
import os

from . import _html, _native, _output
from ._schema import Schema, checked
from ._json_result import JsonResult
from ._typing import AccountingName, PathLike


class Statement(JsonResult):
    """Contents of a ledger: its cap, the budget spent and left, and all fits."""

    def _repr_html_(self) -> str:
        return _html.titled("Ledger", _html.preformatted(self._text))


class Ledger:
    """The ledger of a table: one cap for all fits that name it, across processes and crashes.

    The object holds only the path: the file is opened for every operation and closed again, so
    forked processes do not share it.
    """

    def __init__(self, path: PathLike) -> None:
        """Refers to an existing ledger; :meth:`create` creates one."""
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
        """Creates the ledger of a table, with a cap on everything that will ever be released from
        it.

        An existing ledger is never replaced: its record of the budget spent would be lost.

        :param schema: schema of the table; every fit on the ledger must have the same privacy terms
        :param accounting: accounting of the fits; by default, ``pure`` if delta is 0 and ``gdp``
            otherwise
        :param dataset: name of the table; by default, the name of the file
        :param accept_weak_privacy: accept an epsilon above 10 or a delta above 1e-4
        """
        _output.check_new(path, hint="open it with `Ledger(path)`, or create one at another path")
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
        """Returns the budget spent, by fit, and the budget left. Verifies every byte of the
        ledger."""
        values, text = _native.ledger_statement(self.path)
        return Statement(json.loads(values), text)

    def head(self) -> str:
        """Returns the newest record of the ledger, as ``number:hash``. Publish it: whoever kept it
        notices when an older copy is used, with ``scumble ledger verify --head``."""
        values, _ = _native.ledger_statement(self.path)
        head: str = json.loads(values)["newest"]
        return head

    def __repr__(self) -> str:
        return f"scumble.Ledger({self.path!r})"

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()
