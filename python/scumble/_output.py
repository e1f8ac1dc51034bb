"""Checks of output paths: inputs are never replaced, and existing files only if requested."""

from __future__ import annotations

import os
from collections.abc import Iterable

from . import _native
from ._errors import OutputExistsError, StorageError, UsageError
from ._typing import PathLike


def check(path: PathLike, *, force: bool, inputs: Iterable[PathLike] = ()) -> None:
    """Raises unless a file may be written there. Call it before spending budget on the contents.

    Inputs are never replaced, whatever ``force`` says and however their paths are spelt.
    """
    shown = os.fspath(path)
    refused = _native.output_refused(path, inputs=list(inputs), force=force)
    if refused is not None:
        message, exists = refused
        if exists:
            raise OutputExistsError(message, hint="write to another path, or pass `force=True` to replace it", path=shown)
        raise UsageError(message, hint="write to another path; `force=True` replaces no input and no folder")
    folder = os.path.dirname(shown) or "."
    if not os.path.isdir(folder):
        raise StorageError(f"cannot write `{shown}`: there is no folder `{folder}`", hint="create the folder first")


def check_new(path: PathLike, *, hint: str) -> None:
    """Raises if there is anything at the path."""
    shown = os.fspath(path)
    # `exists` does not see a broken link.
    if os.path.lexists(shown):
        raise OutputExistsError(f"`{shown}` exists already", hint=hint, path=shown)


def write_text(path: PathLike, text: str, *, force: bool) -> None:
    """Writes a text file."""
    check(path, force=force)
    # `x` refuses a file that was created after the check.
    with open(path, "w" if force else "x", encoding="utf-8", newline="\n") as file:
        file.write(text)
