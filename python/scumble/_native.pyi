"""The compiled part of ``scumble``. Private."""

import os
from collections.abc import Sequence
from typing import final

from ._quality import GivenCheck, GivenCriteria
from ._typing import ProgressCallback

__all__ = [
    "DEFAULT_DELTA",
    "Model",
    "Plan",
    "Schema",
    "Table",
    "Types",
    "__version__",
    "bundle_create",
    "bundle_verify",
    "check_folder_name",
    "check_rows",
    "coverage",
    "demo_people",
    "demo_schema",
    "draft",
    "evaluate",
    "ledger_create",
    "ledger_statement",
    "main",
    "method_options",
    "output_refused",
    "parse_spec",
    "plan",
    "quality",
    "read_spec",
    "spec_to_yaml",
    "try_key",
]

DEFAULT_DELTA: float
__version__: str

@final
class Types:
    @staticmethod
    def of(table: object) -> Types: ...
    def names(self) -> list[str]: ...
    def types(self) -> list[str]: ...

@final
class Table:
    @staticmethod
    def with_objects(plain: object | None, rows: int, objects: Sequence[tuple[str, list[object]]]) -> Table: ...
    def __len__(self) -> int: ...
    def types(self) -> Types: ...
    def like(self, types: Types) -> Table: ...
    def head(self, rows: int) -> list[list[str | None]]: ...
    def write(self, path: str | os.PathLike[str]) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Schema:
    def __new__(cls, spec: str) -> Schema: ...
    def spec(self) -> str: ...
    def assumed(self) -> list[str]: ...
    def assumptions(self) -> str: ...
    def columns(self) -> str: ...

@final
class Model:
    @staticmethod
    def fit(
        data: object,
        schema: Schema | None,
        *,
        unit: str | None,
        max_rows: int | None,
        learn_share: float | None,
        dialect: str | None,
        check: GivenCheck | None,
        method: str | None,
        options: Sequence[str],
        epsilon: float,
        delta: float,
        ledger: str | os.PathLike[str] | None,
        resume: bool,
        anew: bool,
        accept_weak_privacy: bool,
        save_to: str | os.PathLike[str] | None,
        format: str | None,
        threads: int | None,
        memory_limit: str | None,
        spill_directory: str | os.PathLike[str] | None,
        push_down: bool,
        progress: ProgressCallback | None,
    ) -> Model: ...
    @staticmethod
    def of_marginals(path: str | os.PathLike[str], schema: Schema) -> Model: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def sample(
        self,
        *,
        rows: int | None,
        seed: int | None,
        sampling: str | None,
        conditions: Sequence[str],
        rebalance: tuple[str, str] | None,
        path: str | os.PathLike[str] | None,
        progress: ProgressCallback | None,
    ) -> Table: ...
    def learned_columns(self) -> list[tuple[str, str]]: ...
    def write_marginals(self, path: str | os.PathLike[str]) -> tuple[int, int]: ...
    @property
    def rows(self) -> int: ...
    @property
    def schema(self) -> Schema: ...
    @property
    def method(self) -> tuple[str, str] | None: ...
    @property
    def guarantee(self) -> str: ...
    @property
    def certificate(self) -> str | None: ...
    @property
    def fingerprint(self) -> str: ...
    def summary(self) -> tuple[str, str]: ...
    def dead_columns(self) -> list[str]: ...
    def explanation(self) -> tuple[str, str]: ...
    def picture(self) -> str: ...
    def page(self, *, title: str | None) -> str: ...

@final
class Plan:
    def json(self) -> str: ...
    def text(self) -> str: ...
    def picture(self) -> str: ...

def main(arguments: Sequence[str]) -> int: ...
def read_spec(path: str | os.PathLike[str]) -> str: ...
def parse_spec(text: str) -> str: ...
def spec_to_yaml(spec: str) -> str: ...
def draft(data: object, format: str | None, dialect: str | None) -> str: ...
def plan(
    schema: Schema,
    methods: Sequence[tuple[str | None, Sequence[str]]],
    goals: Sequence[tuple[float, float]],
    rows: int,
) -> Plan: ...
def method_options(name: str, options: Sequence[str]) -> str: ...
def quality(model: Model, criteria: GivenCriteria) -> tuple[str, str] | None: ...
def check_rows(
    model: Model,
    data: object,
    *,
    epsilon: float,
    delta: float,
    rows: int | None,
    seed: int,
    sampling: str | None,
    criteria: GivenCriteria,
    workload: str,
    ledger: str | os.PathLike[str] | None,
    resume: bool,
    anew: bool,
    accept_weak_privacy: bool,
    format: str | None,
    progress: ProgressCallback | None,
) -> tuple[str, str]: ...
def evaluate(
    real: object,
    synthetic: object,
    schema: Schema,
    *,
    orders: Sequence[int],
    count: int,
    subgroups: Sequence[str] | None,
    targets: Sequence[str] | None,
    quick: bool,
    seed: int,
    progress: ProgressCallback | None,
) -> tuple[str, str, str]: ...
def coverage(data: object, schema: Schema) -> tuple[str, str]: ...
def ledger_create(
    path: str | os.PathLike[str],
    schema: Schema,
    *,
    epsilon: float,
    delta: float,
    accounting: str | None,
    dataset: str,
    accept_weak_privacy: bool,
) -> None: ...
def ledger_statement(path: str | os.PathLike[str]) -> tuple[str, str]: ...
def bundle_create(
    model: Model,
    folder: str | os.PathLike[str],
    *,
    rows: int | None,
    seed: int | None,
    sampling: str | None,
    date: str,
    publisher: str,
    criteria: GivenCriteria,
    ledger: str | os.PathLike[str] | None,
    sign: str | os.PathLike[str] | None,
    progress: ProgressCallback | None,
) -> str: ...
def bundle_verify(
    folder: str | os.PathLike[str],
    *,
    signers: str | os.PathLike[str] | None,
    signer: str | None,
    progress: ProgressCallback | None,
) -> str: ...
def check_folder_name(folder: str | os.PathLike[str]) -> None: ...
def try_key(key: str | os.PathLike[str]) -> None: ...
def output_refused(
    path: str | os.PathLike[str], *, inputs: Sequence[str | os.PathLike[str]], force: bool
) -> tuple[str, bool] | None: ...
def demo_people(rows: int, seed: int) -> Table: ...
def demo_schema() -> str: ...
