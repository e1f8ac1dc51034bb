"""Privacy failures that must never happen: values in messages, noise shared by two processes, a
wrong ledger."""

from __future__ import annotations

import datetime as dt
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import replay_frames

import scumble
from scumble import _native

CANARY = "canary-7f3a"


def test_exceptions_hold_nothing_of_the_data(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    schema = scumble.Schema({"fields": [{"name": "who", "type": "string", "constraints": {"enum": ["a"]}}]})

    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ValueError(CANARY)

    class BrokenFrame(pandas.DataFrame):  # type: ignore[misc]
        @property
        def iloc(self) -> object:
            raise ValueError(CANARY)

    for data in (Broken(), BrokenFrame({"who": ["a"]})):
        with pytest.raises(scumble.DataError, match="could not be handed over") as error:
            scumble.MST(1.0, 1e-9).fit(data, schema)
        chain: Any = error.value
        while chain is not None:
            assert CANARY not in repr(chain) or chain.__suppress_context__
            assert CANARY not in str(chain)
            chain = chain.__cause__
        assert error.value.__suppress_context__ or error.value.__context__ is None
    (tmp_path / "broken.parquet").write_bytes(b"PAR1" + CANARY.encode() * 10 + b"PAR1")
    with pytest.raises(scumble.ScumbleError) as error:
        scumble.MST(1.0, 1e-9).fit(tmp_path / "broken.parquet", schema)
    assert CANARY not in str(error.value)


def test_a_model_holds_nothing_of_the_frame_but_chosen_types() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"who": pandas.Categorical(["a", "b", CANARY] * 50)})
    schema = scumble.Schema({"fields": [{"name": "who", "type": "string", "constraints": {"enum": ["a", "b"]}, "dp": {"open": True}}]})
    method = scumble.Independent(1.0, 0.0).fit(frame, schema)
    rows = method.sample(100)
    assert CANARY not in list(rows["who"].cat.categories)
    kept = method.model_._source
    assert kept is not None and kept.native is None and CANARY not in repr([kept.dtypes["who"], kept.dtypes["who"].categories])
    assert CANARY.encode() not in method.model_._native.to_bytes()


PAIRS_BY_DAY = 300


def test_nothing_in_a_row_raises_or_changes_the_codes_of_other_rows() -> None:
    for library in ("pandas", "polars", "pyarrow", "duckdb"):
        pytest.importorskip(library)
    compared, wrong = replay_frames.problems(PAIRS_BY_DAY, seed=24)
    assert compared.total() >= PAIRS_BY_DAY and min(compared.values()) >= PAIRS_BY_DAY // len(replay_frames.KINDS)
    assert wrong == []


def test_a_replay_finds_a_cell_that_decides_for_others() -> None:
    """Tests the replay itself: it finds a pair whose tables differ in more than a row, and one that
    raises."""
    pandas = pytest.importorskip("pandas")
    names = replay_frames.NAMES
    one = pandas.DataFrame({name: ["red"] for name in names})
    other = pandas.DataFrame({name: ["3", "3"] for name in names})
    assert "other rows of `text` change" in str(replay_frames.problem(("pair", one, other, None)))
    both = pandas.DataFrame({name: ["red", "3"] for name in names})
    assert replay_frames.problem(("pair", one, both, other[:1])) is None
    assert "depends on other rows" in str(replay_frames.problem(("pair", one, both, one)))
    assert "raises DataError" in str(replay_frames.problem(("pair", one, both.drop(columns="text"), None)))


def test_one_odd_cell_among_999_texts_is_one_unknown_value() -> None:
    pandas = pytest.importorskip("pandas")
    schema = scumble.Schema({"fields": [{"name": "who", "type": "string", "constraints": {"enum": ["a", "3"]}, "dp": {"open": True}}]})
    known, missing, unknown = 1, 2, 3
    for cell, code in (
        (3, known),
        (3.0, known),
        (None, missing),
        (pandas.NaT, missing),
        (dt.date(2020, 1, 31), unknown),
        ([3], unknown),
        ({}, unknown),
        (object(), unknown),
        (b"\xff", unknown),
        ("\ud800", unknown),
    ):
        frame = pandas.DataFrame({"who": pandas.Series(["a"] * 999 + [cell], dtype=object)})
        expected = [999, 0, 0, 0]
        expected[code] += 1
        assert replay_frames.counts(frame, schema)["who"] == expected


def test_whole_numbers_have_their_codes_whatever_a_gap_or_a_text_makes_of_the_column() -> None:
    pandas = pytest.importorskip("pandas")
    schema = scumble.Schema({"fields": [{"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "dp": {"open": True}}]})
    numbers = [0, 3, 3, 9]
    whole = pandas.DataFrame({"n": numbers})
    counted = replay_frames.counts(whole, schema)["n"]
    for cell, dtype in ((None, "float64"), ("x", "object"), (pandas.NA, "object"), (2**70, "object"), (2j, "complex128"), ([], "object")):
        frame = pandas.DataFrame({"n": [*numbers, cell]})
        assert frame["n"].dtype == dtype
        change = [b - a for a, b in zip(counted, replay_frames.counts(frame, schema)["n"])]
        # The cell itself is missing or unknown, and the codes of all numbers are unchanged.
        assert change[:10] == [0] * 10 and sum(change) == 1


def test_units_are_distinguished_whatever_a_text_makes_of_their_column() -> None:
    pandas = pytest.importorskip("pandas")
    schema = scumble.Schema({"dp": {"privacyUnit": "who", "maxContributions": 1}, "fields": [{"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 3}}]})
    frame = pandas.DataFrame({"who": [7, 7, 8, 9], "n": [1, 1, 2, 3]})
    counted = replay_frames.counts(frame, schema)["n"]
    assert sum(counted) == 3
    # The row without a person is left out; a text is another person, and 7.0 and "7" are the same
    # person.
    for cell, more in (("x", 1), (None, 0), ([7], 0), (7.0, 0), ("7", 0), (b"7", 0), ("\ud800", 1)):
        added = pandas.DataFrame({"who": pandas.Series([7, 7, 8, 9, cell], dtype=object), "n": [1, 1, 2, 3, 0]})
        assert sum(replay_frames.counts(added, schema)["n"]) == 3 + more


def noise_of(number: int) -> str:
    """Returns the fingerprint of a model with fresh noise, fitted in its own process."""
    people, schema = scumble.demo(200, seed=1)
    return scumble.Independent(0.5, 0.0).fit(people, schema.privacy(rules=None)).model_.fingerprint


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forked_workers_never_share_noise() -> None:
    # A fit before the fork creates all state that could be inherited.
    before = noise_of(-1)
    with multiprocessing.get_context("fork").Pool(8) as pool:
        prints = pool.map(noise_of, range(16), chunksize=1)
    assert len({before, *prints}) == 17


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_workers_forked_during_a_fit_have_their_own_noise() -> None:
    people, schema = scumble.demo(20_000)
    fitting = threading.Thread(target=lambda: scumble.MST(1.0, 1e-9).fit(people, schema))
    fitting.start()
    with multiprocessing.get_context("fork").Pool(4) as pool:
        prints = pool.map(noise_of, range(8), chunksize=1)
    fitting.join()
    assert len(set(prints)) == 8


def test_samples_without_a_seed_differ_and_with_one_do_not(fitted: scumble.MST) -> None:
    polars = pytest.importorskip("polars")
    one, other = (polars.DataFrame(fitted.sample(200)) for _ in range(2))
    assert not one.equals(other)
    assert polars.DataFrame(fitted.sample(200, seed=1)).equals(polars.DataFrame(fitted.sample(200, seed=1)))


def test_other_threads_run_while_a_model_is_fitted() -> None:
    people, schema = scumble.demo(50_000)
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    began = time.monotonic()
    scumble.Auto(1.0, 1e-9, candidates=50).fit(people, schema)
    took = time.monotonic() - began
    done.set()
    other.join()
    assert ticks[0] > 50 * took


INTERRUPTED = """
import os, signal, sys, threading, time
import scumble
people, schema = scumble.demo(60_000)
where, after = sys.argv[1], float(sys.argv[2])
ledger = scumble.Ledger(where)
def press():
    time.sleep(after)
    press.at = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    scumble.Auto(4.0, 1e-9, model_cells=20_000).fit(people, schema, ledger=ledger, anew=True)
    print("finished")
except KeyboardInterrupt:
    late = time.monotonic() - press.at
    time.sleep(0.3)
    used = time.process_time()
    time.sleep(0.5)
    print(f"stopped {late:.3f} {time.process_time() - used:.3f}")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are different there")
def test_ctrl_c_ends_a_fit_within_a_second_and_keeps_the_ledger_correct(tmp_path: Path) -> None:
    schema = scumble.demo(10)[1]
    ledger = scumble.Ledger.create(tmp_path / "people.ledger", schema, epsilon=100.0, delta=1e-6, accept_weak_privacy=True)
    stopped = 0
    for _ in range(5):
        # From opening the table to the last rounds.
        after = random.uniform(0.02, 1.0)
        run = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, ledger.path, str(after)], capture_output=True, text=True, check=True
        )
        outcome = run.stdout.split()
        if outcome[0] == "stopped":
            stopped += 1
            late, used = float(outcome[1]), float(outcome[2])
            assert late < 1.0, f"it took {late} s after {after} s"
            assert used < 0.1, "nothing goes on behind the prompt"
    assert stopped >= 2
    # A fit that released something counts in full until it is resumed, and one that released
    # nothing costs nothing.
    statement = ledger.show().to_dict()
    opened = [job for job in statement["jobs"] if job["releases"] is None]
    assert not statement["suspect"] and all(job["share"] == 0.0 for job in statement["jobs"] if job["releases"] == 0)
    people, _ = scumble.demo(60_000)
    for _ in opened:
        scumble.Auto(4.0, 1e-9, model_cells=20_000).fit(people, schema, ledger=ledger, resume=True)
    after = ledger.show().to_dict()
    assert all(job["releases"] is not None for job in after["jobs"]) and after["spent_share"] <= statement["spent_share"] + 1e-9


def test_a_cancelled_fit_is_resumed_in_the_same_process(tmp_path: Path) -> None:
    people, schema = scumble.demo(60_000)
    ledger = scumble.Ledger.create(tmp_path / "people.ledger", schema, epsilon=5.0, delta=1e-9)
    method = scumble.Auto(4.0, 1e-9, model_cells=20_000)
    native = schema._native()
    request: Any = {"method": method.method, "options": method._options(), "epsilon": 4.0, "delta": 1e-9}

    def is_open() -> bool:
        return any(job["releases"] is None for job in ledger.show().to_dict()["jobs"])

    def stop_after(seconds: float) -> None:
        began = time.monotonic()

        def angry(stage: str, done: int, total: int) -> None:
            if time.monotonic() - began > seconds:
                raise RuntimeError("no more")

        with pytest.raises(RuntimeError, match="no more"):
            _native.Model.fit(
                people._native,
                native,
                **request,
                unit=None,
                max_rows=None,
                learn_share=None,
                dialect=None,
                check=None,
                ledger=ledger.path,
                resume=False,
                anew=False,
                accept_weak_privacy=False,
                save_to=None,
                format=None,
                threads=None,
                memory_limit=None,
                spill_directory=None,
                push_down=False,
                progress=angry,
            )

    # A fit without releases is ended and costs nothing; the time of the first release depends on
    # the machine.
    for seconds in (0.2, 0.4, 0.8, 1.2):
        stop_after(seconds)
        if is_open():
            break
        assert ledger.show().to_dict()["spent_share"] == 0.0
    assert is_open()
    with pytest.raises(scumble.BudgetError, match="never ended"):
        method.fit(people, schema, ledger=ledger)
    method.fit(people, schema, ledger=ledger, resume=True)
    assert [job["releases"] > 0 for job in ledger.show().to_dict()["jobs"] if job["releases"] != 0] == [True]


def test_weak_terms_are_refused_unless_accepted(tmp_path: Path) -> None:
    people, schema = scumble.demo(200, seed=1)
    schema = schema.privacy(rules=None)
    for method in (scumble.Independent(10.5, 1e-9), scumble.Independent(1.0, 2e-4)):
        with pytest.raises(scumble.UsageError, match="is above"):
            method.fit(people, schema)
        assert "WEAK TERMS" in method.fit(people, schema, accept_weak_privacy=True).guarantee
    with pytest.raises(scumble.UsageError, match="is above"):
        scumble.Ledger.create(tmp_path / "people.ledger", schema, epsilon=11.0, delta=1e-9)
    assert not (tmp_path / "people.ledger").exists()
