"""The classes, their parameters, and their results."""

from __future__ import annotations

import html
import inspect
import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scumble
from scumble import _native
from scumble._methods import _METHODS

People = tuple[scumble.Table, scumble.Schema]


def test_the_package_says_its_version() -> None:
    assert scumble.__version__ == _native.__version__
    assert all(hasattr(scumble, name) for name in scumble.__all__)


@pytest.mark.parametrize("name", sorted(_METHODS))
def test_parameters_and_their_defaults_are_those_of_the_library(name: str) -> None:
    method = _METHODS[name](1.0, 1e-9)
    shown = json.loads(_native.method_options(name, []))
    if name == "privmrf":
        assert shown["profile"] == method.get_params()["profile"]
        return
    options = {key: value for key, value in method.get_params().items() if key not in ("epsilon", "delta")}
    if "workload" in options:
        options["workload"] = list(options["workload"])
    # Some options are written only if they differ from the default.
    assert {key: value for key, value in options.items() if key in shown} == shown
    assert _native.method_options(name, method._options()) == _native.method_options(name, [])


@pytest.mark.parametrize("name", sorted(_METHODS))
def test_epsilon_and_delta_come_first_and_nothing_happens_before_fit(name: str) -> None:
    kind = _METHODS[name]
    assert list(inspect.signature(kind).parameters)[:2] == ["epsilon", "delta"]
    # Values are checked by `fit`, as in scikit-learn.
    method = kind(-1.0, 2.0)
    assert (method.epsilon, method.delta) == (-1.0, 2.0)
    with pytest.raises(scumble.NotFittedError) as error:
        method.sample(10)
    assert "fit" in str(error.value.hint)
    with pytest.raises(scumble.UsageError):
        people, schema = scumble.demo(10)
        method.fit(people, schema.privacy(rules=None))


def test_parameters_are_got_and_set_as_in_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.base")
    method = scumble.Auto(0.5, 1e-9, candidates=50)
    assert method.get_params()["candidates"] == 50
    assert repr(method) == "Auto(epsilon=0.5, delta=1e-09, candidates=50)"
    copy = sklearn.clone(method)
    assert copy.get_params() == method.get_params() and copy is not method
    assert method.set_params(epsilon=2.0).epsilon == 2.0
    with pytest.raises(scumble.UsageError, match="no parameter `theta`"):
        method.set_params(theta=1)


def test_a_model_is_saved_and_read_as_what_it_is(fitted: scumble.MST, tmp_path: Path) -> None:
    path = tmp_path / "people.model"
    fitted.save(path)
    for read in (scumble.load(path), scumble.MST.load(path), scumble.Synthesizer.load(path)):
        assert isinstance(read, scumble.MST) and repr(read) == repr(fitted)
        assert read.model_ == fitted.model_ == scumble.Model.load(path)
        assert read.certificate.to_dict() == fitted.certificate.to_dict()
    with pytest.raises(scumble.UsageError, match="model of `mst`"):
        scumble.Auto.load(path)
    assert pickle.loads(pickle.dumps(fitted.model_)) == fitted.model_


@pytest.mark.parametrize(
    "method",
    [
        scumble.Auto(2.0, 1e-6, candidates=20),
        scumble.AIM(1.0, 1e-6, workload_columns=2, rounds_per_column=2.0, workload=[{"columns": ["sex", "age"], "weight": 2.0}]),
        scumble.MST(1.0, 1e-6, accounting="zcdp"),
        scumble.MST(1.0, 1e-6, target="sex"),
        scumble.Auto(2.0, 1e-6, candidates=20, workload=[{"columns": ["sex", "age"]}], target="sex"),
        scumble.PrivMRF(1.0, 1e-6, profile="paper", options={"candidates": 20}),
        scumble.PrivMRF(1.0, 1e-6),
        scumble.PrivBayes(1.0, degree=1),
        scumble.PBPGM(1.0, 1e-6, degree=1),
        scumble.PrivBayesNIST(1.0, 1e-6),
        scumble.Independent(1.0, 0.0),
    ],
    ids=lambda method: repr(method).split("(")[0],
)
def test_every_method_fits_samples_and_is_read_back(method: scumble.Synthesizer, tmp_path: Path) -> None:
    people, schema = scumble.demo(2_000)
    schema = schema.drop("interview", "birth_date", "occupation", "income", "height_cm", "moved_in").privacy(rules=None)
    rows = method.fit(people, schema).sample(200, seed=1)
    assert len(rows) == 200 and rows.columns == list(schema)
    assert method.certificate.epsilon <= method.epsilon
    method.save(tmp_path / "a.model")
    read = scumble.load(tmp_path / "a.model")
    assert type(read) is type(method)
    assert _native.method_options(read.method, read._options()) == _native.method_options(method.method, method._options())
    # A plan takes the method with its options.
    assert "epsilon" in repr(scumble.plan(schema, 2_000, 1.0, 1e-6, methods=read))


@pytest.mark.parametrize("kind", [scumble.Auto, scumble.AIM, scumble.MST])
def test_a_target_is_part_of_the_workload(kind: type[scumble.Auto | scumble.AIM | scumble.MST]) -> None:
    method = kind(1.0, 1e-6, workload=[{"columns": ["sex", "age"]}], target="sex")
    written = json.loads(_native.method_options(method.method, method._options()))
    assert written["workload"] == [{"columns": ["sex", "age"], "weight": 1.0}, {"target": "sex", "weight": 1.0}]
    people, schema = scumble.demo(10)
    with pytest.raises(scumble.UsageError, match="names the column `nobody`"):
        method.set_params(target="nobody").fit(people, schema.privacy(rules=None))


def test_a_smoothed_histogram_needs_a_public_number_of_rows() -> None:
    people, schema = scumble.demo(2_000)
    small = schema.drop(*[name for name in schema if name not in ("sex", "smoker")])
    with pytest.raises(scumble.DataError, match="public number of rows"):
        scumble.SmoothedHistogram(1.0, 0.0).fit(people, small)
    method = scumble.SmoothedHistogram(1.0, 0.0).fit(people, small.privacy(adjacency="replace-one"))
    assert len(method.sample(50)) == 50


def test_parts_of_a_model_are_drawn(fitted: scumble.MST) -> None:
    pandas = pytest.importorskip("pandas")
    part = fitted.sample(300, where={"sex": "female", "age": range(20, 40)}, into="pandas")
    assert set(part["sex"]) == {"female"} and part["age"].between(20, 39).all()
    several = fitted.sample(200, where={"region": ["Capital", "Midplain"], "smoker": None}, into="pandas")
    assert set(several["region"]) <= {"Capital", "Midplain"} and several["smoker"].isna().all()
    written = fitted.sample(100, where=["sex=male"], into="pandas")
    assert set(written["sex"]) == {"male"}
    even = fitted.sample(1_000, rebalance={"sex": {"female": 0.5, "male": 0.5}}, into="pandas")
    assert (even["sex"].value_counts() == 500).all()
    assert isinstance(even, pandas.DataFrame)
    with pytest.raises(scumble.UsageError):
        fitted.sample(10, where={"sex": "purple"})


def test_what_a_model_holds_is_shown(fitted: scumble.MST, tmp_path: Path) -> None:
    summary = fitted.inspect()
    assert "<svg" in summary.picture and "<svg" in summary._repr_html_() and summary.to_dict()
    assert "differential" in summary.explanation
    certificate = fitted.certificate
    assert certificate.epsilon <= 1.0 and certificate.delta == 1e-9 and len(certificate.events) > 10
    assert "Certificate" in certificate._repr_html_()
    assert "<svg" in fitted._repr_html_() and "<svg" in fitted.model_._repr_html_()
    page = fitted.report(tmp_path / "page.html")
    assert page.startswith("<!DOCTYPE html>") and (tmp_path / "page.html").read_text(encoding="utf-8") == page
    fitted.model_.write_marginals(tmp_path / "tables.json")
    again = scumble.Model.from_marginals(tmp_path / "tables.json", fitted.model_.schema)
    assert again.certificate is None and len(again.sample(10)) == 10


def test_a_fitted_method_is_asked_like_its_model(people: People, fitted: scumble.MST, tmp_path: Path) -> None:
    assert fitted.set_params() is fitted
    fitted.write(tmp_path / "a.csv", 50, seed=1, where={"sex": "female"})
    fitted.model_.write(tmp_path / "b.csv", 50, seed=1, where={"sex": "female"})
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    fitted.write_marginals(tmp_path / "tables.json")
    assert scumble.Model.from_marginals(tmp_path / "tables.json", fitted.schema).certificate is None
    assert fitted.report() == fitted.model_.report() and fitted.guarantee == fitted.model_.guarantee
    assert fitted.fingerprint == fitted.model_.fingerprint and fitted.schema == people[1]
    with pytest.raises(scumble.NotFittedError):
        scumble.MST(1.0, 1e-9).write(tmp_path / "c.csv")


def test_an_evaluation_shows_its_page_in_a_frame(people: People, fitted: scumble.MST) -> None:
    evaluation = scumble.evaluate(people[0], fitted.sample(2_000), people[1], quick=True, orders=[1, 2])
    shown = evaluation._repr_html_()
    before, _, frame = shown.partition("<iframe")
    assert "NOT DIFFERENTIALLY PRIVATE" in before and "<style" not in shown, "styles stay inside the frame"
    page = frame.split('srcdoc="', 1)[1].split('"', 1)[0]
    assert html.unescape(page) == evaluation.page() and "NOT DIFFERENTIALLY PRIVATE" in page


def test_plans_need_no_data(people: People) -> None:
    _, schema = people
    one = scumble.plan(schema, 10_000, 1.0)
    assert "<svg" in one._repr_html_() and one.to_dict()["forecasts"]
    several = scumble.plan(schema, 10_000, [0.5, 1.0], methods=["mst", scumble.Auto])
    assert len(several.to_dict()["forecasts"]) == 4
    with pytest.raises(scumble.UsageError):
        scumble.plan(schema, 10_000, 1.0, methods="nothing")


def test_an_evaluation_is_stamped(people: People, fitted: scumble.MST, tmp_path: Path) -> None:
    table, schema = people
    evaluation = scumble.evaluate(table, fitted.sample(2_000), schema, quick=True, orders=[1, 2])
    assert repr(evaluation).startswith("NOT DIFFERENTIALLY PRIVATE")
    assert "NOT DIFFERENTIALLY PRIVATE" in evaluation._repr_html_()
    assert "NOT DIFFERENTIALLY PRIVATE" in json.dumps(evaluation.to_dict())
    assert "NOT DIFFERENTIALLY PRIVATE" in evaluation.page(tmp_path / "steward.html")
    with pytest.raises(scumble.UsageError):
        scumble.evaluate(table, fitted.sample(100), schema, targets=["nothing"])


def test_a_ledger_refuses_what_is_over_its_cap(people: People, tmp_path: Path) -> None:
    table, schema = people
    ledger = scumble.Ledger.create(tmp_path / "people.ledger", schema, epsilon=1.2, delta=1e-9)
    scumble.MST(1.0, 1e-9).fit(table, schema, ledger=ledger, save_to=tmp_path / "a.model")
    with pytest.raises(scumble.BudgetError) as error:
        scumble.MST(1.0, 1e-9).fit(table, schema, ledger=ledger)
    assert error.value.hint
    shown = ledger.show().to_dict()
    assert len(shown["jobs"]) == 1 and not shown["suspect"]
    assert "Ledger" in ledger._repr_html_()
    with pytest.raises(scumble.UsageError):
        scumble.MST(1.0, 1e-9).fit(table, schema, ledger=ledger, resume=True)
    with pytest.raises(scumble.UsageError):
        scumble.Ledger.create(tmp_path / "people.ledger", schema, epsilon=1.0, delta=0.0)


def test_a_bundle_is_written_and_holds(fitted: scumble.MST, tmp_path: Path) -> None:
    made = scumble.bundle(fitted, tmp_path / "release", rows=500, seed=1, date="2026-11-16", title="People")
    assert "data/synthetic.parquet" in made.files and "curator" in made.left_open
    found = scumble.verify(tmp_path / "release")
    assert found and found.ok and "verified" in found._repr_html_()
    target = tmp_path / "release" / "data" / "synthetic.csv"
    target.write_text(target.read_text().replace("female", "male", 1))
    broken = scumble.verify(tmp_path / "release")
    assert not broken and "failed" in repr(broken)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_signed_bundle_is_verified_by_keys_that_the_reader_accepts(people: People, tmp_path: Path) -> None:
    key = tmp_path / "office"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    signers = tmp_path / "signers"
    signers.write_text(f"office@example.org {key.with_suffix('.pub').read_text()}")
    table, schema = people
    ledger = scumble.Ledger.create(tmp_path / "people.ledger", schema, epsilon=2.0, delta=1e-9)
    by = scumble.MST(1.0, 1e-9)
    by.fit(table, schema, ledger=ledger)
    made = scumble.bundle(by, tmp_path / "signed", rows=50, ledger=ledger, sign=key)
    assert {"SHA256SUMS.sig", "ledger.json"} <= set(made.files)
    head = json.loads((tmp_path / "signed" / "ledger.json").read_text())["head"]
    assert ledger.head() == f"{head['record']}:{head['hash']}"
    assert scumble.verify(tmp_path / "signed", signers=signers, signer="office@example.org")
    assert not scumble.verify(tmp_path / "signed", signers=signers, signer="press@example.org")
    with pytest.raises(scumble.UsageError, match="a name in a file of keys"):
        scumble.verify(tmp_path / "signed", signer="office@example.org")
    # Another ledger, and a file that is no key.
    other = scumble.Ledger.create(tmp_path / "other.ledger", schema, epsilon=2.0, delta=1e-9)
    for wrong in ({"ledger": other}, {"sign": signers}):
        with pytest.raises(scumble.ScumbleError):
            scumble.bundle(by, tmp_path / "refused", rows=50, **wrong)
    with pytest.raises(scumble.ScumbleError):
        scumble.release(table, tmp_path / "refused", schema, by=by, criteria={"criteria": []}, sign=signers, ledger=ledger)
    assert len(ledger.show().to_dict()["jobs"]) == 1, "budget was spent before the key was tried"


def test_the_program_is_in_the_package(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "scumble"]
    version = subprocess.run([*run, "-V"], capture_output=True, text=True, check=True)
    assert version.stdout.strip() == f"scumble {scumble.__version__}"
    subprocess.run([*run, "demo", "--rows", "100", "-o", tmp_path / "people", "--quiet"], check=True)
    refused = subprocess.run([*run, "fit", "--json"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "error" in json.loads(refused.stdout)
    missing = subprocess.run([*run, "inspect", "nowhere.model", "--json"], capture_output=True, text=True, check=False)
    assert missing.returncode == 6 and "error" in json.loads(missing.stdout)


def test_a_column_that_could_not_be_read_is_warned_of(tmp_path: Path) -> None:
    schema = scumble.Schema(
        {
            "fields": [
                {"name": "amount", "type": "number", "constraints": {"minimum": 0, "maximum": 100}, "dp": {"bins": {"count": 10}}},
                {"name": "paid", "type": "string", "constraints": {"enum": ["yes", "no"], "required": True}},
            ]
        }
    )
    table = tmp_path / "table.csv"
    rows = (f'"{row % 97},5",{"yes" if row % 3 else "no"}\n' for row in range(2_000))
    table.write_text("amount,paid\n" + "".join(rows), encoding="utf-8")
    with pytest.warns(scumble.DeadColumnWarning, match="`amount`: about .* could not be read"):
        scumble.Independent(1.0, 1e-9).fit(table, schema, progress=False)


def test_directories_are_columns(tmp_path: Path) -> None:
    for town, rows in (("K%C3%B6ln", 900), ("Rom", 300)):
        folder = tmp_path / "fees" / f"town={town}"
        folder.mkdir(parents=True)
        folder.joinpath("part-0.csv").write_text("paid\n" + "yes\nno\n" * (rows // 2), encoding="utf-8")
    assert list(scumble.Schema.draft(tmp_path / "fees")) == ["paid", "town"]
    scumble.Independent(8.0, 1e-9).fit(tmp_path / "fees", progress=False).write(tmp_path / "synth.csv", 400)
    header, *rows = tmp_path.joinpath("synth.csv").read_text(encoding="utf-8").splitlines()
    assert header == "paid,town"
    assert {"Köln", "Rom"} <= {row.partition(",")[2] for row in rows}


def test_quality_that_may_be_published(people: People, fitted: scumble.MST) -> None:
    checked = scumble.MST(4.0, 1e-9).fit(*people, check_share=0.1)
    assert checked.model_ is not None
    quality = checked.model_.quality
    assert quality is not None
    assert "mean error of tables over 3 columns" in [figure.name for figure in quality.figures]
    assert all(figure.half_width > 0 for figure in quality.figures)
    assert quality.accepted and quality.criteria == [] and "±" in repr(quality)
    judged = checked.model_.judge({"criteria": [{"tables": 3, "atMost": 0.0001}]})
    assert not judged.accepted and judged.criteria[0]["outcome"] == "missed"
    unmeasured = checked.model_.judge({"criteria": [{"mean": "age", "atMost": 5}]})
    assert not unmeasured.accepted and unmeasured.refusals() == ["not measured: difference of the mean of age, at most 5"]
    with pytest.raises(scumble.UsageError, match="checked no rows"):
        fitted.model_.judge({"criteria": [{"tables": 3, "atMost": 0.0001}]})
    assert fitted.model_ is not None and fitted.model_.quality is None
    with pytest.raises(scumble.UsageError, match="check_share"):
        scumble.MST(1.0, 1e-9).fit(*people, check_share=2)


def test_rows_of_a_model_are_checked_for_a_budget_of_their_own(people: People, fitted: scumble.MST, tmp_path: Path) -> None:
    table, schema = people
    ledger = scumble.Ledger.create(tmp_path / "people.ledger", schema, epsilon=1.2, delta=1e-8)
    workload = [{"columns": ["age", "sex"]}, {"target": "income"}]
    quality = fitted.model_.check(table, epsilon=1.0, rows=2_000, seed=4, workload=workload, ledger=ledger)
    assert (quality.rows, quality.seed) == (2_000, 4)
    assert quality.figures[-1].name.endswith("named tables") and quality.figures[-1].half_width > 0
    assert quality.to_dict()["certificate"]["epsilon"] <= 1.0001
    with pytest.raises(scumble.BudgetError):
        fitted.model_.check(table, epsilon=1.0, ledger=ledger)
    criteria = tmp_path / "criteria.yaml"
    criteria.write_text("criteria: [{tables: 1, statistic: max, atMost: 0.0001}]")
    judged = fitted.model_.check(table, epsilon=1.0, criteria=criteria)
    assert not judged.accepted and len(judged.figures) == 1
    assert "missed" in repr(judged) or "undecided" in repr(judged)


def test_a_release_is_written_or_refused(people: People, tmp_path: Path) -> None:
    table, schema = people
    method = scumble.MST(4.0, 1e-9)
    loose = {"criteria": [{"tables": 2, "atMost": 0.9}, {"mean": "age", "within": {"sex": "female"}, "atMost": 90}]}
    released = scumble.release(table, tmp_path / "out", schema, by=method, criteria=loose, rows=1_500, seed=3, title="People")
    assert "quality.json" in released.files
    assert scumble.verify(tmp_path / "out")
    assert not (tmp_path / "out.model").exists()
    assert method.model_.quality is not None and method.model_.quality.rows == 1_500
    strict = {"criteria": [{"tables": 2, "atMost": 0.00001}]}
    with pytest.raises(scumble.CriteriaError, match="so no bundle was written") as refused:
        scumble.release(table, tmp_path / "other", schema, by=method, criteria=strict)
    assert not (tmp_path / "other").exists()
    assert scumble.Model.load(refused.value.model).quality is not None
    assert pickle.loads(pickle.dumps(refused.value)).refusals == refused.value.refusals
    with pytest.raises(scumble.OutputExistsError, match="exists"):
        scumble.release(table, tmp_path / "other", schema, by=method, criteria=loose)
    for write in (lambda: scumble.release(table, tmp_path / "a.csv", schema, by=method, criteria=loose), lambda: scumble.bundle(method.model_, tmp_path / "a.csv")):
        with pytest.raises(scumble.UsageError, match="is the name of a file"):
            write()
