"""Exceptions and warnings, by cause.

No message quotes the data: only paths, column names and numbers that you gave.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

_Problem = tuple[str, "str | None"]


class ScumbleError(Exception):
    """Base class of all errors of Scumble.

    ``problems`` are pairs of a sentence and a hint; a schema can have several.
    """

    problems: tuple[_Problem, ...]
    unlisted: int

    def __init__(self, problems: Sequence[_Problem] | str, *, hint: str | None = None, unlisted: int = 0) -> None:
        self.problems = ((problems, hint),) if isinstance(problems, str) else tuple(problems)
        self.unlisted = unlisted
        super().__init__(self._text())

    def _text(self) -> str:
        lines = []
        for message, hint in self.problems:
            lines.append(message)
            if hint:
                lines.append(f"  hint: {hint}")
        if self.unlisted:
            lines.append(f"and {self.unlisted} more problems")
        return "\n".join(lines)

    @property
    def hint(self) -> str | None:
        """Hint for the first problem, if there is one."""
        return self.problems[0][1] if self.problems else None

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored, (type(self), self.problems, self.unlisted))

    def __str__(self) -> str:
        return self._text()


def _restored(kind: type[ScumbleError], problems: tuple[_Problem, ...], unlisted: int) -> ScumbleError:
    return kind(problems, unlisted=unlisted)


class UsageError(ScumbleError, ValueError):
    """The arguments are invalid or contradict each other."""


class OutputExistsError(UsageError, FileExistsError):
    """The output exists already, and ``force`` was not given."""

    def __init__(
        self,
        problems: Sequence[_Problem] | str,
        *,
        hint: str | None = None,
        unlisted: int = 0,
        path: str | None = None,
    ) -> None:
        super().__init__(problems, hint=hint, unlisted=unlisted)
        self.errno = errno.EEXIST
        self.filename = path


class DataError(ScumbleError, ValueError):
    """The data is invalid."""


class CriteriaError(DataError):
    """Rows do not meet the criteria of a release. The budget is spent."""

    model: str
    """Path of the model, which is kept."""

    def __init__(self, refusals: Sequence[str], model: str) -> None:
        super().__init__(
            f"the rows do not meet the criteria, so no bundle was written: {'; '.join(refusals)}",
            hint=f"the budget is spent, and the model is in {model}: `Model.load(...).check(...)` checks other rows of it",
        )
        self.refusals = tuple(refusals)
        self.model = model

    def __reduce__(self) -> tuple[object, ...]:
        return (CriteriaError, (self.refusals, self.model))


class SchemaError(DataError):
    """The schema is invalid; ``problems`` lists all its problems."""


class BudgetError(ScumbleError):
    """The privacy budget does not allow it."""


class TooLargeError(ScumbleError, MemoryError):
    """The model or the data would not fit into memory or the limits of the program."""


class StorageError(ScumbleError, OSError):
    """A file, disk, database or system operation failed."""


class NotFittedError(UsageError, AttributeError):
    """The object is not fitted yet."""


class BugError(ScumbleError, RuntimeError):
    """A bug in Scumble; please report it."""


class Interrupted(ScumbleError, KeyboardInterrupt):
    """The user interrupted the work."""


class AssumedWarning(UserWarning):
    """Bounds and categories of a column are not declared public: they may have been chosen by
    looking at the data."""


class DeadColumnWarning(UserWarning):
    """Nearly all values of a column are missing, unknown or at a bound, by the released counts: the
    schema may not fit the data."""
