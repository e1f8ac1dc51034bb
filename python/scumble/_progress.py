"""How far work has come: a bar of tqdm if it is installed, a line otherwise, and nothing where nobody watches."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from ._typing import ProgressCallback

_PATIENCE_SECONDS = 0.5
"""Work that is done sooner needs no bar."""


def _somebody_watches() -> bool:
    if sys.stderr is None:
        return False
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Progress:
    """A context that gives a callback for the native module, or ``None``."""

    def __init__(self, wanted: bool | None) -> None:
        self._wanted = _somebody_watches() if wanted is None else wanted
        self._began = time.monotonic()
        self._stage: str | None = None
        self._bar: Any = None
        self._line = ""

    def __enter__(self) -> ProgressCallback | None:
        return self._told if self._wanted else None

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._close()

    def _told(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self._began < _PATIENCE_SECONDS:
            return
        if stage != self._stage:
            self._close()
            self._stage = stage
            self._bar = _tqdm(stage, total)
        if self._bar is None:
            self._write(stage, done, total)
            return
        if total:
            self._bar.total = total
            self._bar.update(min(done, total) - self._bar.n)
        else:
            self._bar.refresh()

    def _write(self, stage: str, done: int, total: int) -> None:
        part = f"{100 * done // total} %" if total else f"{time.monotonic() - self._began:.0f} s"
        line = f"{stage} {part}"
        if line != self._line:
            sys.stderr.write("\r" + line.ljust(len(self._line)))
            sys.stderr.flush()
            self._line = line

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        if self._line:
            sys.stderr.write("\r" + " " * len(self._line) + "\r")
            sys.stderr.flush()
            self._line = ""


def _tqdm(stage: str, total: int) -> Any:
    try:
        import warnings

        with warnings.catch_warnings():
            # It warns where a notebook cannot show its own kind of bar, and then shows a plain one.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    unit = "B" if stage == "reading" else "rows"
    if not total:
        return tqdm(desc=stage, bar_format="{desc} {elapsed}", leave=False)
    return tqdm(desc=stage, total=total, unit=unit, unit_scale=True, leave=False)
