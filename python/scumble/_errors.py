"""What can go wrong, and whose fault it is.

No message holds anything of the data: paths, names of columns and numbers that you gave are all that is quoted.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

_Problem = tuple[str, "str | None"]


class ScumbleError(Exception):
    """Anything that Scumble refuses or fails at.

    ``problems`` are pairs of a sentence and what to do about it; a schema can have several.
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
        """What to do about the first problem, where we know."""
        return self.problems[0][1] if self.problems else None

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored, (type(self), self.problems, self.unlisted))

    def __str__(self) -> str:
        return self._text()


def _restored(kind: type[ScumbleError], problems: tuple[_Problem, ...], unlisted: int) -> ScumbleError:
    return kind(problems, unlisted=unlisted)


class UsageError(ScumbleError, ValueError):
    """The request cannot be served as it was made."""


class OutputExistsError(UsageError, FileExistsError):
    """The output exists already, and nothing was asked to replace it."""

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
    """The data is not what it should be."""


class SchemaError(DataError):
    """The schema is not what it should be; ``problems`` has all that is wrong with it."""


class BudgetError(ScumbleError):
    """The budget does not allow it."""


class TooLargeError(ScumbleError, MemoryError):
    """It would not fit."""


class StorageError(ScumbleError, OSError):
    """Files, disks, databases, the operating system."""


class NotFittedError(UsageError, AttributeError):
    """Nothing was fitted yet."""


class BugError(ScumbleError, RuntimeError):
    """A mistake of ours."""


class Interrupted(ScumbleError, KeyboardInterrupt):
    """The work was stopped by the one who asked for it."""


class AssumedWarning(UserWarning):
    """Nobody has vouched that bounds and categories of a column were declared without looking at the data."""


class DeadColumnWarning(UserWarning):
    """Nearly all rows of a column are missing, unknown or at an end, by the released counts: the schema may not fit the data."""
