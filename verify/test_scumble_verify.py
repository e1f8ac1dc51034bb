"""Tests of the second verifier: against closed formulas, against forgers, and against the program.

    SCUMBLE_BIN=target/debug/scumble python3 -m unittest discover -s verify

Without SCUMBLE_BIN the tests that need the program are skipped. SCUMBLE_VERIFY_CASES is the number
of random certificates, by default 600; `figures.py` uses 10,000 and prints what it found.
"""

import base64
import contextlib
import hashlib
import io
import json
import math
import os
import pathlib
import random
import shutil
import sys
import tempfile
import unittest
from datetime import datetime, timezone
from fractions import Fraction

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cases  # noqa: E402
import scumble_verify as verifier  # noqa: E402

BINARY = os.environ.get("SCUMBLE_BIN")
KEYGEN = shutil.which("ssh-keygen")
CASES = int(os.environ.get("SCUMBLE_VERIFY_CASES", "600"))
# What the program accepts and this verifier does not. Under `pure` the pages say that epsilon is
# not below the total, and the program lets it be below by one float. Events of one table may not
# state different numbers of rows. The program reads grids of any name at any place, and sorts the
# columns of a table.
STRICTER = {"unknown_question", "learn_after_measuring"}


def report_of(certificate):
    report = verifier.Report("test")
    data = certificate if isinstance(certificate, bytes) else json.dumps(certificate).encode()
    try:
        verifier.check_data(data, report)
    except (verifier.Refused, verifier.Unreadable) as refused:
        report.add("file", "failed", str(refused))
    return report


def failures_of(report):
    return [f"{check['check']}: {check['text']}" for check in report.checks if check["outcome"] == "failed"]


class Numerics(unittest.TestCase):
    """The intervals contain what other formulas give, and are narrow."""

    def test_the_normal_tail_agrees_with_erfc(self):
        for x in (0.0, 0.1, 1.0, 3.0, 3.999, 4.0, 4.001, 7.5, 20.0, 37.0):
            point = verifier.Interval.of(Fraction(x))
            enclosed = verifier.normal_density(point) * verifier.mills(point)
            # The libm error of erfc grows with the square of x.
            self.assertAlmostEqual(float(enclosed.low) / cases.tail(x), 1, delta=1e-15 * (2 + x * x))
            self.assertTrue(enclosed.is_narrow())

    def test_the_two_formulas_for_the_tail_agree_where_both_converge(self):
        # The series is used below 4 and the continued fraction from 4 on; R' = x R - 1 links both
        # sides.
        below, above = (verifier.mills_at(verifier.Decimal(text)) for text in ("3.9999999999", "4"))
        slope = 4 * float(above.low) - 1
        step = float(above.low - below.low)
        self.assertAlmostEqual(step / (slope * 1e-10), 1, delta=1e-6)

    def test_profiles_have_the_known_values(self):
        for delta, mu, rho in ((1e-5, 0.26805, 0.03056), (1e-6, 0.23670, 0.02436), (1e-9, 0.18197, 0.01497)):
            self.assertLess(float(verifier.gdp_delta(Fraction(mu - 1e-5) ** 2, Fraction(1)).high), delta)
            self.assertGreater(float(verifier.gdp_delta(Fraction(mu + 1e-5) ** 2, Fraction(1)).low), delta)
            self.assertLess(float(verifier.zcdp_delta(Fraction(rho - 1e-5), Fraction(1)).high), delta)
            self.assertGreater(float(verifier.zcdp_delta(Fraction(rho + 1e-5), Fraction(1)).low), delta)

    def test_profiles_agree_with_floats(self):
        rng = random.Random(2)
        for _ in range(100):
            mu, epsilon = 10 ** rng.uniform(-1, 0.5), rng.uniform(0, 3)
            if cases.gdp_profile(mu * mu, epsilon) > 1e-13:
                enclosed = verifier.gdp_delta(Fraction(mu * mu), Fraction(epsilon))
                self.assertAlmostEqual(float(enclosed.low) / cases.gdp_profile(mu * mu, epsilon), 1, delta=1e-9)
            enclosed = verifier.zcdp_delta(Fraction(mu * mu / 2), Fraction(epsilon))
            self.assertAlmostEqual(float(enclosed.low) / cases.zcdp_profile(mu * mu / 2, epsilon), 1, delta=1e-9)

    def test_absurd_numbers_end_quickly(self):
        for epsilon, total in ((10 ** 6, Fraction(1, 2 ** 96)), (Fraction(1, 2 ** 40), 2 ** 32), (10 ** 6, 2 ** 32)):
            for profile in (verifier.gdp_delta, verifier.zcdp_delta):
                self.assertGreater(profile(Fraction(total), Fraction(epsilon)).upper(), 0)

    def test_two_splits_are_as_bad_as_all(self):
        # `threshold_delta` tries one value and m values; the formula of the cases tries every
        # number.
        for m in (1, 2, 3, 10, 40):
            for sigma in (0.7, 3.0, 50.0):
                for distance in (1, 4, 8):
                    rows = m + 1 + int(sigma * distance)
                    enclosed = verifier.threshold_delta(Fraction(sigma), m, rows)
                    self.assertAlmostEqual(float(enclosed.high) / cases.threshold_delta(sigma, m, rows), 1, delta=1e-9)

    def test_mutual_information_has_the_bound_of_the_lemma(self):
        for n in (1, 2, 3, 1000, 2000, 10 ** 9):
            binary, other = verifier.score_units("mutual-information", "replace-one", n)
            delta = math.log2(n) + (n - 1) * math.log2(n / (n - 1)) if n > 1 else 0
            self.assertTrue(binary[0] - 1 <= 1024 * delta <= binary[1], (n, binary, delta))
            delta = 2 * math.log2((n + 1) / 2) + (n - 1) * math.log2((n + 1) / (n - 1)) if n > 1 else 0
            self.assertTrue(other[0] - 1 <= 1024 * delta <= other[1], (n, other, delta))


class RandomCertificates(unittest.TestCase):
    def test_right_ones_are_accepted_and_wrong_ones_rejected(self):
        rng = random.Random(3)
        for _ in range(CASES // 2):
            certificate = cases.right(rng)
            report = report_of(certificate)
            self.assertTrue(report.holds(), (failures_of(report), certificate))
            name, forged = cases.wrong(rng, certificate)
            self.assertFalse(report_of(forged).holds(), (name, forged))

    def test_every_forgery_is_tried_and_rejected(self):
        rng = random.Random(4)
        for forger in cases.WRONGS:
            for _ in range(2000):
                certificate = cases.right(rng)
                forged = json.loads(json.dumps(certificate))
                if forger(rng, forged) and cases.differ(forged, certificate):
                    self.assertFalse(report_of(forged).holds(), (forger.__name__, forged))
                    break
            else:
                self.fail(f"{forger.__name__} never applied")

    def test_each_refusal_says_why(self):
        # Other checks would reject most of these, too. The words show that each check is alive.
        rng = random.Random(5)

        def certificate_with(kind, key, **terms):
            """A right certificate of these terms, and an event with this question or mechanism first."""
            while True:
                certificate = cases.right(rng)
                found = [event for event in certificate["events"] if key in event[kind]]
                if found and all(certificate[name] == value for name, value in terms.items()):
                    return certificate, found[0]

        def expect(words, certificate):
            self.assertIn(words, "".join(failures_of(report_of(certificate))))

        for words, key, value in (
                ("NOT PRIVATE", "noise", "forced (NOT PRIVATE)"), ("unknown format 2", "format", 2),
                ("unknown accounting", "accounting", "rdp"), ("unknown adjacency", "adjacency", "add"),
                ("at most 10^6", "goal", {"epsilon": 1e7, "delta": 0.0}),
                ("below 1", "goal", {"epsilon": 1, "delta": 1.0}),
                ("without events", "events", []), ("unknown assumption", "assumptions", ["good-faith"]),
                ("quanta of 2^-96", "total", "1/2^95"), ("quanta of 2^-96", "total", f"{2 ** 128}/2^96"),
                ("finite number", "epsilon", -1.0), ("not a number", "epsilon", "1"),
                ("whole number", "max_contributions", 0),
                ("not a text", "ledger", {"dataset": 1, "job": "0" * 32, "head": "0" * 64}),
                ("job", "ledger", {"dataset": "x", "job": "0" * 31, "head": "0" * 64}),
                ("cap", "ledger", {"dataset": "x", "job": "0" * 32, "head": "0" * 64, "cap": {"epsilon": 1}})):
            expect(words, {**cases.right(rng), key: value})

        certificate, event = certificate_with("question", "scores", adjacency="add-remove")
        event["question"]["scores"]["rows"] = 1000
        expect("private under add-remove", certificate)
        for score, words in (("median", "unknown, or has no"), ("mutual-information", "unknown, or has no"),
                             ([], "cannot be")):
            certificate, event = certificate_with("question", "scores", adjacency="add-remove")
            event["question"]["scores"]["score"] = score
            expect(words, certificate)
        for key, value, words in (("score", "median", "unknown score"), ("rows", None, "whole number"),
                                  ("digest", "0", "digest"),
                                  ("candidates", 0, "candidates"), ("heaviest", 0, "heaviest")):
            certificate, event = certificate_with("question", "scores", adjacency="replace-one")
            event["question"]["scores"][key] = value
            expect(words, certificate)
        for key, value, words in (("unit", 1000, "another unit"), ("smoothing", 0, "smoothing"),
                                  ("smoothing", 2 ** 32, "smoothing"),
                                  ("cells", 0, "cells"), ("drawn", 0, "drawn"),
                                  ("rows", 10 ** 9, "another number of rows")):
            certificate, event = certificate_with("mechanism", "smoothed-histogram")
            certificate["events"] = [{**json.loads(json.dumps(event)), "id": 0}, {**event, "id": 1}]
            event["mechanism"]["smoothed-histogram"][key] = value
            expect(words, certificate)
        certificate, event = certificate_with("mechanism", "smoothed-histogram", accounting="pure")
        certificate["accounting"] = "gdp"
        certificate["events"] = [{**event, "id": 0}]
        expect("no cost under gdp", certificate)
        certificate["adjacency"] = certificate["events"][0]["adjacency"] = "add-remove"
        expect("no cost under add-remove", certificate)
        for key, value, words in (("rows", 1, "hides no unit"), ("rows", -1, "whole number"),
                                  ("delta", "1", "quanta"),
                                  ("delta", f"{2 ** 96}/2^96", "more to delta than is claimed")):
            certificate, event = certificate_with("mechanism", "thresholded-gaussian")
            event["mechanism"]["thresholded-gaussian"]["threshold"][key] = value
            expect(words, certificate)
        for sigma, words in (("281474976710655/2^7", "out of range"), ("140737488355328/2^58", "out of range"),
                             ("1.5", "binary")):
            certificate, event = certificate_with("mechanism", "rounded-gaussian")
            event["mechanism"]["rounded-gaussian"]["sigma"] = sigma
            expect(words, certificate)
        for kind, key, words in (("question", "values", "column is not a text"),
                                 ("question", "grid", "column is not a text")):
            certificate, event = certificate_with(kind, key)
            event["question"][key]["column"] = 7
            expect(words, certificate)
        certificate, event = certificate_with("question", "table")
        event["length"] = 0
        expect("no numbers were released", certificate)
        certificate, event = certificate_with("question", "grid")
        event["question"]["grid"]["grid"] = "longest text"
        expect("unknown grid", certificate)
        certificate, event = certificate_with("question", "table")
        event["question"]["rows"] = [0]
        expect("one property", certificate)
        certificate, event = certificate_with("question", "table")
        event["mechanism"]["none"] = {}
        expect("one property", certificate)
        certificate, event = certificate_with("mechanism", "rounded-gaussian")
        certificate["accounting"] = "pure"
        expect("no cost under pure", certificate)
        certificate, _ = certificate_with("question", "table", accounting="pure")
        certificate["epsilon"] = math.nextafter(certificate["epsilon"], math.inf)
        certificate["goal"]["epsilon"] += 1
        expect("larger than the total", certificate)

    def test_the_sentence_promises_what_is_proved(self):
        certificate = cases.right(random.Random(15))
        epsilon, delta = f"{certificate['epsilon'] * 1.0001:.6f}", certificate["delta"]
        moves = {"add-remove": "adding or removing", "replace-one": "replacing"}[certificate["adjacency"]]
        m, count = certificate["max_contributions"], len(certificate["events"])
        pair = f"({epsilon}, {delta})" if delta else epsilon
        sentence = (f"{pair}-differentially private with respect to {moves} all rows of one `pid`; "
                    f"at most {m} rows of each were kept. {count} releases, some accounting.")
        model = {"path": "model.scumble", "sha256": "0" * 64}
        document = {"guarantee": sentence, "privacy_unit": "pid", "model": model, "method": "independent",
                    "certificate": certificate}
        self.assertEqual(failures_of(report_of(document)), [])
        for before, after, words in (
                (epsilon, f"{certificate['epsilon'] * 0.999:.6f}", "promises epsilon"),
                (pair, "(0, 0)", "promises epsilon"),
                (pair, f"({epsilon}, 1e-99)", "promises delta"), (moves, "shuffling", "other neighbours"),
                (f"{count} rel", f"{count - 1} rel", "does not count"), ("`pid`", "`row`", "another unit"),
                (f"most {m} rows", f"most {m + 1} rows", "rows per unit"), (pair, "Perfectly", "does not begin"),
                (pair, "(1e-999999999, 1)", "promises epsilon")):
            changed = {**document, "guarantee": sentence.replace(before, after, 1)}
            self.assertIn(words, "".join(failures_of(report_of(changed))), after)
        for key, value, words in (("model", {"path": "../x", "sha256": "0" * 64}, "another path"),
                                  ("privacy_unit", 1, "text"),
                                  ("model", {"path": "model.scumble", "sha256": "0"}, "sha256"),
                                  ("remark", 1, "unknown")):
            self.assertIn(words, "".join(failures_of(report_of({**document, key: value}))))

    def test_a_key_given_twice_is_refused(self):
        text = json.dumps(cases.right(random.Random(6)))
        for key in ('"epsilon"', '"format"', '"noise"'):
            twice = text.replace(key, f'{key}: 1, {key}', 1)
            self.assertFalse(report_of(twice.encode()).holds(), key)

    def test_no_mutilation_crashes(self):
        rng = random.Random(7)
        odd = [None, True, 0, -1, 2 ** 70, 1e300, "", "x", "1/2^96", [], {}, [[]], {"a": {}}]
        for _ in range(CASES):
            certificate = cases.right(rng)
            place, key = certificate, rng.choice(sorted(certificate))
            while isinstance(place[key], (dict, list)) and place[key] and rng.random() < 0.8:
                place = place[key]
                key = rng.choice(sorted(place)) if isinstance(place, dict) else rng.randrange(len(place))
            place[key] = rng.choice(odd)
            report = report_of(certificate)
            self.assertTrue(all("cannot be checked" not in failure or "unhashable" in failure or "Error" in failure
                                for failure in failures_of(report)))


# Key, message and signature: tests 1 to 3 and SHA(abc) of RFC 8032, section 7.1.
VECTORS = [tuple(map(bytes.fromhex, vector)) for vector in (
    ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
     "655141438e7a100b"),
    ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
     "b00d291612bb0c00"),
    ("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
     "c027beceea1ec40a"),
    ("ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e"
     "2a9ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17a"
     "d9bef1177331a704"))]
NOW = datetime(2026, 11, 15, 12, tzinfo=timezone.utc)


class Ed25519(unittest.TestCase):
    def test_the_vectors_of_the_standard(self):
        for key, message, signature in VECTORS:
            self.assertTrue(verifier.ed25519_holds(key, message, signature))
            self.assertFalse(verifier.ed25519_holds(key, message + b"x", signature))
            self.assertFalse(verifier.ed25519_holds(key, message, signature + b"x"))
            self.assertFalse(verifier.ed25519_holds(key + b"x", message, signature))

    def test_every_changed_byte_is_found(self):
        rng = random.Random(16)
        key, message, signature = VECTORS[2]
        for place in range(64):
            self.assertFalse(verifier.ed25519_holds(key, message, flipped(signature, place, rng.randrange(8))), place)
        for place in range(32):
            self.assertFalse(verifier.ed25519_holds(flipped(key, place, rng.randrange(8)), message, signature), place)

    def test_a_second_encoding_of_the_same_is_refused(self):
        key, message, signature = VECTORS[1]
        s = int.from_bytes(signature[32:], "little")
        again = signature[:32] + (s + verifier.ORDER).to_bytes(32, "little")
        self.assertFalse(verifier.ed25519_holds(key, message, again))
        # y = 1 is the neutral point, with x = 0; p + 1 and a sign of zero are other ways to write it.
        self.assertEqual(verifier.point_of((1).to_bytes(32, "little"))[:2], (0, 1))
        self.assertIsNone(verifier.point_of((verifier.P + 1).to_bytes(32, "little")))
        self.assertIsNone(verifier.point_of((1 + 2 ** 255).to_bytes(32, "little")))
        self.assertIsNone(verifier.point_of((2).to_bytes(32, "little")), "no point of the curve")


class Signers(unittest.TestCase):
    KEY = verifier.ssh_field(b"ssh-ed25519") + verifier.ssh_field(VECTORS[0][0])

    def found(self, line):
        text = base64.b64encode(self.KEY).decode()
        return verifier.signer_of(line.replace("KEY", f"ssh-ed25519 {text}"), self.KEY, NOW)

    def test_lines_that_count(self):
        for line in ("a@b.c KEY", "# keys\n\na@b.c KEY remark", 'a@b.c namespaces="scumble-release" KEY',
                     'a@b.c namespaces="git,scumble-*",valid-after="20261115" KEY', 'a@b.c valid-before="20270101Z" KEY',
                     'a@b.c valid-after="202611151159Z",valid-before="20261115120001Z" KEY',
                     'other@b.c namespaces="git" KEY\na@b.c KEY', '"a@b.c" KEY'):
            self.assertEqual(self.found(line), ("a@b.c", None), line)

    def test_lines_that_do_not(self):
        for line in ("", "# a@b.c KEY", "KEY", 'a@b.c namespaces="git" KEY', 'a@b.c namespaces="!scumble-release,*" KEY',
                     'a@b.c valid-before="20261115120000Z" KEY', 'a@b.c valid-after="20261116Z" KEY',
                     "a@b.c cert-authority KEY", 'a@b.c unheard-of="1" KEY', 'a@b.c valid-before="20270101 KEY',
                     "a@b.c ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"):
            self.assertIsNone(self.found(line)[0], line)
        with self.assertRaises(verifier.Refused):
            self.found('a@b.c valid-before="soon" KEY')


@unittest.skipUnless(KEYGEN, "ssh-keygen is not installed: nothing is compared with it")
class SshKeygen(unittest.TestCase):
    """Signatures that `ssh-keygen` made."""

    def test_they_hold_for_their_text_and_no_other(self):
        rng = random.Random(17)
        with tempfile.TemporaryDirectory() as folder:
            for number in range(5):
                key = cases.make_key(folder, f"key{number}")
                text = rng.randbytes(rng.randrange(2000)) if number else b""
                signature = verifier.Signature(cases.sign(folder, key, text))
                self.assertTrue(signature.holds_for(text))
                self.assertFalse(signature.holds_for(text + b"\n"))
                listed = cases.run("ssh-keygen", folder, "-l", "-f", key).split()[1]
                self.assertEqual(signature.fingerprint, listed)
                with self.assertRaisesRegex(verifier.Refused, "another purpose"):
                    verifier.Signature(cases.sign(folder, key, text, "git"))

    def test_what_ssh_keygen_ignores_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            text = cases.sign(folder, cases.make_key(folder, "key"), b"text")
        body = text[len(verifier.BEGIN):-len(verifier.END)]
        blob = base64.b64decode(body)
        def armoured(blob):
            letters = base64.b64encode(blob)
            lines = b"".join(letters[at:at + 70] + b"\n" for at in range(0, len(letters), 70))
            return verifier.BEGIN + lines + verifier.END
        self.assertEqual(armoured(blob), text)
        for other in (text + b"\n", text[:-1], text.replace(b"\n", b"\r\n"), text.replace(b"\n", b"\x0b", 3), b"", b"\xff",
                      armoured(blob + b"\0"), armoured(blob[:9] + b"\0" + blob[10:]), armoured(blob[:40]),
                      armoured(b"X" + blob[1:]), verifier.BEGIN + body.replace(b"\n", b"") + b"\n" + verifier.END):
            with self.assertRaises(verifier.Refused):
                verifier.Signature(other)


class CommandLine(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = verifier.main([str(argument) for argument in arguments])
        return code, out.getvalue(), err.getvalue()

    def test_exit_codes(self):
        certificate = cases.right(random.Random(8))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "certificate.json"
            path.write_text(json.dumps(certificate), encoding="utf-8")
            self.assertEqual(self.run_main(path)[0], 0)
            code, out, _ = self.run_main(path, "--json")
            self.assertEqual((code, json.loads(out)["holds"], json.loads(out)["kind"]), (0, True, "certificate"))
            certificate["total"] = "1/2^96"
            path.write_text(json.dumps(certificate), encoding="utf-8")
            self.assertEqual(self.run_main(path)[0], 1)
            self.assertIs(json.loads(self.run_main(path, "--json")[1])["holds"], False)
            path.write_bytes(b"\xff not json")
            self.assertEqual(self.run_main(path)[0], 2)
            self.assertIn("error", json.loads(self.run_main(path, "--json")[1]))
            self.assertEqual(self.run_main(folder)[0], 2)
            self.assertEqual(self.run_main(pathlib.Path(folder) / "nothing")[0], 2)


class InFolder(unittest.TestCase):
    """Tests that share a folder, which is removed after them."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="verify-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)


@unittest.skipUnless(BINARY, "SCUMBLE_BIN is not set: nothing is compared with the program")
class Program(InFolder):
    """Certificates and bundles that the program made."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.models = cases.make_models(BINARY, cls.folder, every=False)
        by_name = {model.stem: model for model in cls.models}
        chosen = [by_name[name] for name in ("ar-mst", "ro-independent", "ro2-privbayes-pure", "ro-rows", "ledger")]
        cls.bundles = [cases.make_bundle(BINARY, cls.folder, model) for model in chosen[:-1]]
        cls.bundles += [cases.make_bundle(BINARY, cls.folder, chosen[-1], 300, "--ledger", "people.ledger")]
        cls.learned = cases.make_bundle(BINARY, cls.folder, by_name["learned"])
        cls.external = cases.make_bundle(BINARY, cls.folder, cases.make_external(BINARY, cls.folder, by_name["ar-mst"]))

    def test_real_models_are_accepted(self):
        methods = set()
        for model in self.models:
            report = verifier.check_path(str(model))
            self.assertTrue(report.holds(), (model.name, failures_of(report)))
            origin = json.loads(cases.parts_of_model(model.read_bytes())[1][2])["measured"]["method"]
            methods.add(origin if isinstance(origin, str) else next(iter(origin)))
        self.assertEqual(len(methods), 9, methods)

    def test_the_certificate_of_schema_learn_is_accepted(self):
        cases.run(BINARY, self.folder, "schema", "learn", "--quiet", "people.csv", "--unit", "pid", "--max-rows", 2,
                  "-e", 0.5, "-d", "1e-9", "-o", "learned.yaml")
        report = verifier.check_path(str(self.folder / "learned.certificate.json"))
        self.assertTrue(report.holds(), failures_of(report))

    def test_real_bundles_are_accepted(self):
        for bundle in self.bundles:
            report = verifier.check_path(str(bundle))
            self.assertTrue(report.holds(), (bundle.name, failures_of(report)))
            alone = verifier.check_path(str(bundle / "certificate.json"))
            self.assertTrue(alone.holds(), failures_of(alone))

    def test_a_release_with_criteria_is_accepted(self):
        (self.folder / "criteria.yaml").write_text("criteria: [{tables: 1, atMost: 0.9}]\n", encoding="utf-8")
        cases.run(BINARY, self.folder, "release", "--quiet", "people.csv", "--schema", "ar.yaml", "-m", "independent", "-e", 2,
                  "-d", "1e-9", "--ledger", "people.ledger", "--accept", "criteria.yaml", "-o", "released")
        report = verifier.check_path(str(self.folder / "released"))
        self.assertTrue(report.holds(), failures_of(report))
        self.assertIn(("ledger.json", "passed"), [(one["check"], one["outcome"]) for one in report.checks])

    def test_the_ledger_is_that_of_the_certificate(self):
        folder = self.folder / "ledger-copy"
        shutil.copytree(self.bundles[-1], folder)
        opened = verifier.Bundle(str(folder))
        opened.check_files()
        certificate = verifier.Certificate(opened.json("certificate.json")["certificate"])
        path = folder / "ledger.json"
        state = json.loads(path.read_text(encoding="utf-8"))
        self.assertIn(f"{state['head']['record']}:{state['head']['hash']}", opened.check_ledger(certificate))
        for words, change in (("another dataset", {"dataset": "other"}), ("another cap", {"goal": {"epsilon": 9, "delta": 0}}),
                              ("more is spent", {"spent": f"{2 ** 127}/2^96"}), ("unknown property", {"rows": 1}),
                              ("another job", {"job": {"record": 1, "hash": "0" * 64}}),
                              ("unknown accounting", {"accounting": "rdp"}), ("jobs", {"jobs": 2}),
                              ("head: record", {"head": {"record": 0, "hash": "0" * 64}}),
                              ("after the head", {"head": {"record": 1, "hash": "0" * 64}})):
            path.write_text(json.dumps({**state, **change}), encoding="utf-8")
            with self.assertRaisesRegex(verifier.Refused, words):
                opened.check_ledger(certificate)
        del certificate.value["ledger"]
        with self.assertRaisesRegex(verifier.Refused, "names no ledger"):
            opened.check_ledger(certificate)

    def test_columns_of_every_kind_are_accepted(self):
        schema = pathlib.Path(__file__).resolve().parents[1] / "examples/schemas/every_column.schema.yaml"
        header = ("age,children,rooms,hours,wage,balance,mark,sex,work,diet,city,state,insured,smoker,born,admitted,"
                  "discharged,called,seen,woken,built,moved,pain")
        row = ("41,2,3,40,500,12.5,1.3,female,employed,rice,Ulm,south,Y,,03/04/1960,2024-02-03,"
               ",2024-03-03T10:00:00,,06:05,1950,1990,.4")
        (self.folder / "visits.csv").write_text("\n".join([header] + [row] * 50) + "\n", encoding="utf-8")
        cases.run(BINARY, self.folder, "fit", "--quiet", "visits.csv", "--schema", schema, "-m", "mst", "-e", 1,
                  "-d", "1e-6", "-o", "visits.model")
        bundle = cases.make_bundle(BINARY, self.folder, "visits.model", 2000)
        report = verifier.check_path(str(bundle))
        self.assertTrue(report.holds(), failures_of(report))
        # Made-up columns: values that must differ, and the number of the row.
        opened = verifier.Bundle(str(bundle))
        for check in (opened.check_files, lambda: opened.check_package(verifier.Model(opened.read("model.scumble")))):
            check()
        path = bundle / "data/synthetic.csv"
        lines = path.read_text(encoding="utf-8").split("\n")
        for words, column, text in (("occurs twice", 0, lines[1].split(",")[0]), ("not its number", 2, "7"),
                                    ("not allowed", 0, "V-00-00000"), ("not allowed", 1, "FR")):
            cells = lines[5].split(",")
            cells[column] = text
            path.write_text("\n".join([*lines[:5], ",".join(cells), *lines[6:]]), encoding="utf-8")
            with self.assertRaisesRegex(verifier.Refused, words):
                verifier.check_values(opened, report)

    def test_a_declared_bundle_is_never_called_certified(self):
        report = verifier.check_path(str(self.external))
        self.assertTrue(report.holds(), failures_of(report))
        self.assertIsNone(report.claim)
        self.assertTrue(any("NOT CERTIFIED" in check["text"] for check in report.checks))

    def test_a_learned_bundle_with_blank_columns_holds(self):
        report = verifier.check_path(str(self.learned))
        self.assertTrue(report.holds(), failures_of(report))

    def test_the_program_agrees_about_right_and_forged_models(self):
        rng = random.Random(9)
        path = self.folder / "forged.model"
        for _ in range(min(200, CASES // 6)):
            model = rng.choice(self.models)
            certificate = cases.certificate_in(model)
            path.write_bytes(cases.with_certificate(model, cases.variant(rng, certificate)))
            report = verifier.check_path(str(path))
            self.assertTrue(report.holds(), (model.name, failures_of(report)))
            # `mst` derives columns from its noisy tables, so it may refuse tables of other noise.
            self.assertNotEqual(cases.verdict_of_program(BINARY, path), "certificate", model.name)
            name, forged = cases.wrong(rng, certificate)
            path.write_bytes(cases.with_certificate(model, forged))
            self.assertFalse(verifier.check_path(str(path)).holds(), (model.name, name))
            accepted = cases.verdict_of_program(BINARY, path) == "accepted"
            self.assertFalse(accepted and name not in STRICTER, (model.name, name))

    def test_a_gap_in_the_ids_is_refused(self):
        # The program reads such a certificate; the pages say that ids count from 0.
        certificate = cases.certificate_in(self.models[0])
        certificate["events"][-1]["id"] += 1
        self.assertIn("without a gap", "".join(failures_of(report_of(certificate))))

    def test_an_event_that_was_dropped_leaves_its_numbers_behind(self):
        # The most careful forgery: all ids, totals and epsilon follow. Only the model shows it.
        model = next(model for model in self.models if model.stem == "ar-mst")
        certificate = cases.certificate_in(model)
        certificate["events"].pop(3)
        for place, event in enumerate(certificate["events"]):
            event["id"] = place
        cases.restate(certificate)
        self.assertTrue(report_of(certificate).holds())
        path = self.folder / "dropped.model"
        path.write_bytes(cases.with_certificate(model, certificate))
        self.assertIn("released numbers", "".join(failures_of(verifier.check_path(str(path)))))


@unittest.skipUnless(BINARY, "SCUMBLE_BIN is not set: there is no bundle to damage")
class DamagedBundles(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cases.run(BINARY, cls.folder, "demo", "--quiet", "--rows", 500, "-o", ".")
        cases.run(BINARY, cls.folder, "fit", "--quiet", "people.csv", "--schema", "people.schema.yaml", "-m", "mst",
                  "-e", 1, "-d", "1e-9", "-o", "people.model")
        cls.original = cases.make_bundle(BINARY, cls.folder, "people.model")

    def setUp(self):
        self.bundle = self.folder / "copy"
        shutil.copytree(self.original, self.bundle)
        self.addCleanup(shutil.rmtree, self.bundle)

    def failures(self):
        return " ".join(failures_of(verifier.check_path(str(self.bundle))))

    def rewrite(self, name, change):
        """Changes a file as a forger would, with all checksums that name it."""
        path = self.bundle / name
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        path.write_bytes(change(path.read_bytes()))
        data = path.read_bytes()
        package = self.bundle / "datapackage.json"
        if name.startswith("data/"):
            value = json.loads(package.read_text(encoding="utf-8"))
            for resource in value["resources"]:
                if resource["path"] == name:
                    resource["bytes"], resource["hash"] = len(data), f"sha256:{hashlib.sha256(data).hexdigest()}"
            package.write_text(json.dumps(value), encoding="utf-8")
        if name == "model.scumble":
            outer = self.bundle / "certificate.json"
            outer.write_text(outer.read_text(encoding="utf-8").replace(before, hashlib.sha256(data).hexdigest()))
        self.list_again()

    def list_again(self):
        files = sorted(path for path in self.bundle.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(self.bundle)}\n"
                 for path in files]
        (self.bundle / "SHA256SUMS").write_text("".join(sorted(lines, key=lambda line: line[66:])))

    def test_the_copy_is_right(self):
        self.assertEqual(self.failures(), "")
        self.list_again()
        self.assertEqual(self.failures(), "")

    def test_a_flipped_bit_is_found_in_every_file(self):
        rng = random.Random(10)
        found = flipped_bits_found(rng, self.bundle, 4)
        self.assertEqual(found[0], found[1])

    def test_a_flipped_bit_of_the_model_is_found_with_new_checksums(self):
        rng = random.Random(11)
        original = (self.bundle / "model.scumble").read_bytes()
        for _ in range(20):
            place = rng.randrange(len(original))
            self.rewrite("model.scumble", lambda data: flipped(data, place, rng.randrange(8)))
            self.assertIn("model", self.failures())
            self.rewrite("model.scumble", lambda data: original)
        self.assertEqual(self.failures(), "")

    @unittest.skipUnless(KEYGEN, "ssh-keygen is not installed: nothing is signed")
    def test_signed_bundles(self):
        def found():
            report = verifier.check_path(str(self.bundle), signers)
            return " ".join(failures_of(report)), report.unknown_key

        key, other = cases.make_key(self.folder, "office"), cases.make_key(self.folder, "other")
        signers = cases.signers(self.folder, "data@office.example", key)
        path, listed = self.bundle / verifier.SIGNATURE, (self.bundle / "SHA256SUMS").read_bytes()
        self.assertIn("nobody signed", found()[0])
        path.write_bytes(cases.sign(self.folder, key, listed))
        self.assertEqual(found(), ("", False))
        self.assertEqual(self.failures(), "")
        report = verifier.check_path(str(self.bundle))
        self.assertIn(("signature", "not-checked"), [(one["check"], one["outcome"]) for one in report.checks])
        # Every byte of the list and of its signature, and some of each other file.
        for name in ("SHA256SUMS", verifier.SIGNATURE):
            original = (self.bundle / name).read_bytes()
            for place in range(len(original)):
                (self.bundle / name).write_bytes(flipped(original, place, place % 8))
                self.assertNotEqual(found()[0], "", (name, place))
            (self.bundle / name).write_bytes(original)
        rng = random.Random(18)
        self.assertEqual(*flipped_bits_found(rng, self.bundle, 4, signers))
        for wrong in (cases.sign(self.folder, other, listed), cases.sign(self.folder, key, listed, "git"),
                      cases.sign(self.folder, key, listed + b"\n"), b"", b"x"):
            path.write_bytes(wrong)
            self.assertIn("signature", found()[0])
        self.assertIn("signature", self.failures(), "also if nobody asks who signed")
        # A key of another kind is never called checked.
        for kind in ("rsa", "ecdsa"):
            key = cases.make_key(self.folder, kind, kind)
            path.write_bytes(cases.sign(self.folder, key, listed))
            self.assertIn("not in the file of signers", found()[0])
            signers = cases.signers(self.folder, "data@office.example", key)
            self.assertEqual(found(), ("", True))
            with contextlib.redirect_stdout(io.StringIO()) as out:
                code = verifier.main([str(self.bundle), "--signers", str(self.folder / "signers")])
            self.assertEqual((code, "NOT CHECKED" in out.getvalue()), (2, True))

    def test_missing_and_extra_files(self):
        (self.bundle / "report.html").rename(self.bundle / "other.html")
        self.assertIn("not listed", self.failures())
        (self.bundle / "other.html").unlink()
        self.assertIn("missing: report.html", self.failures())
        self.list_again()
        self.assertIn("report.html is missing", self.failures())

    def test_links_folders_and_paths_that_lead_out(self):
        secret = self.folder / "secret"
        secret.write_text("x")
        (self.bundle / "README.md").unlink()
        (self.bundle / "README.md").symlink_to(secret)
        self.assertIn("link", self.failures())
        (self.bundle / "README.md").unlink()
        (self.bundle / "README.md").mkdir()
        self.assertIn("not a file", self.failures())
        sums = self.bundle / "SHA256SUMS"
        text = sums.read_text()
        for name in ("../secret", "/etc/passwd", "data/../../secret", "SHA256SUMS"):
            sums.write_text(f"{'0' * 64}  {name}\n{text}")
            self.assertIn("no bundle has", self.failures(), name)

    def test_the_list_itself(self):
        sums = self.bundle / "SHA256SUMS"
        text = sums.read_text()
        for damaged in (text[:-1], text.upper(), text + text, text.replace("  ", " *"), "", text + "\n"):
            sums.write_text(damaged)
            self.assertNotEqual(self.failures(), "", damaged[:70])
        sums.unlink()
        sums.symlink_to(self.original / "SHA256SUMS")
        self.assertIn("SHA256SUMS", self.failures())

    def test_values_that_the_schema_forbids(self):
        def cell(column, value):
            def change(data):
                lines = data.decode().split("\n")
                place, fields = lines[0].split(",").index(column), lines[5].split(",")
                fields[place] = value
                lines[5] = ",".join(fields)
                return "\n".join(lines).encode()
            return change
        original = (self.bundle / "data/synthetic.csv").read_bytes()
        for column, value in (("age", "86"), ("age", ""), ("age", "-1"), ("age", "4.5"), ("sex", "Female"),
                              ("sex", "NA"), ("region", ""), ("birth_date", "2024-06-02"),
                              ("birth_date", "1990-02-30"),
                              ("interview", "2024-05-06"), ("smoker", "True"), ("height_cm", "70.55"),
                              ("height_cm", "nan"), ("height_cm", "210.1"), ("moved_in", "1949"), ("income", "1e3"),
                              ("income", "500001"), ("sex", '"female')):
            self.rewrite("data/synthetic.csv", cell(column, value))
            self.assertIn("values", self.failures(), (column, value))
            self.rewrite("data/synthetic.csv", lambda data: original)
        self.assertEqual(self.failures(), "")

    def test_times_of_day_and_names_of_months(self):
        def allows(field, text):
            return verifier.checker_of({"name": "x", **field}, [""])(text)

        whole_day = {"type": "time"}
        for text in ("00:00:00", "18:05", "23:59:59.999999", ""):
            self.assertTrue(allows(whole_day, text), text)
        for text in ("24:00:01", "18:60", "18", "noon", "-1:00"):
            self.assertFalse(allows(whole_day, text), text)
        edges = {"type": "time", "format": "%I:%M %p", "dp": {"bins": {"edges": ["06:00", "02:00 PM", "24:00"]}}}
        self.assertTrue(allows(edges, "06:00 AM") and allows(edges, "11:59 PM"))
        self.assertFalse(allows(edges, "05:59 AM") or allows(edges, "18:05"))
        shifts = {"type": "time", "constraints": {"enum": ["06:00", "14:00"], "required": True}}
        self.assertTrue(allows(shifts, "14:00:00"))
        self.assertFalse(allows(shifts, "14:01") or allows(shifts, ""))
        bounds = {"minimum": "2020-01-01", "maximum": "31-Dec-2020"}
        named = {"type": "date", "format": "%d-%b-%Y", "constraints": bounds}
        self.assertTrue(allows(named, "29-Feb-2020"))
        self.assertFalse(allows(named, "30-Feb-2020") or allows(named, "01-Jan-2021"))

    def test_rows_and_header(self):
        original = (self.bundle / "data/synthetic.csv").read_bytes()
        first = original.split(b"\n")[1]
        for change, words in ((lambda data: data + first + b"\n", "301 rows"),
                              (lambda data: data.replace(first + b"\n", b"", 1), "299 rows"),
                              (lambda data: data.replace(b"age", b"Age", 1), "header"),
                              (lambda data: b"\xef\xbb\xbf" + data, "header"),
                              (lambda data: data.replace(first, first + b",", 1), "values instead of"),
                              (lambda data: data.replace(first, b"\xff" + first, 1), "UTF-8")):
            self.rewrite("data/synthetic.csv", change)
            self.assertIn(words, self.failures())
            self.rewrite("data/synthetic.csv", lambda data: original)

    def expect_after(self, words, name, change):
        """After this change of a file, with new checksums, a check fails with these words."""
        before = {path: path.read_bytes() for path in self.bundle.rglob("*") if path.is_file()}
        self.rewrite(name, change)
        self.assertIn(words, self.failures())
        for path, data in before.items():
            path.write_bytes(data)

    def test_descriptions_of_another_release(self):
        def edit(change):
            def rewritten(data):
                value = json.loads(data)
                change(value)
                return json.dumps(value).encode()
            return rewritten

        def field(value, name, which=1):
            return next(one for one in value["resources"][which]["schema"]["fields"] if one["name"] == name)

        def rename_in_both(value):
            for which in (0, 1):
                field(value, "age", which)["name"] = "years"

        for words, change in (
                ("another hash", lambda value: value["resources"][0].update(hash="sha256:0")),
                ("another size", lambda value: value["resources"][1].update(bytes=1)),
                ("another path", lambda value: value["resources"][1].update(path="../secret")),
                ("not both files", lambda value: value["resources"].pop(0)),
                ("no resources", lambda value: value.pop("resources")),
                ("resources differ", lambda value: field(value, "age").update(name="years")),
                ("not those of the model", rename_in_both),
                ("how the bundle was made", lambda value: value["scumble"].pop("release")),
                ("rows instead of the 299", lambda value: value["scumble"]["release"].update(rows=299)),
                ("no categories", lambda value: field(value, "sex").pop("constraints")),
                ("no bounds", lambda value: field(value, "moved_in").pop("constraints")),
                ("unknown to this program", lambda value: field(value, "birth_date").update(format="%c"))):
            self.expect_after(words, "datapackage.json", edit(change))
        for words, change in (
                ("another method", lambda value: value.update(method="auto")),
                ("another unit", lambda value: value.update(privacy_unit="region")),
                ("another model file", lambda value: value["model"].update(sha256="0" * 64)),
                ("unknown property", lambda value: value.update(approved=True))):
            self.expect_after(words, "certificate.json", edit(change))
        self.expect_after("no single epsilon", "registry-entry.yaml", lambda data: data + b"\n  epsilon: 2.0\n")

    def test_models_that_contradict_their_certificate(self):
        def edit(change):
            def rewritten(data):
                version, parts = cases.parts_of_model(data)
                return cases.model_of_parts(*change(version, parts))
            return rewritten

        def with_part(place, change):
            return edit(lambda version, parts: (version, [*parts[:place], change(parts[place]), *parts[place + 1:]]))

        def with_schema(**terms):
            def change(data):
                value = json.loads(data)
                value["dp"].update(terms)
                return json.dumps(value).encode()
            return with_part(1, change)

        for words, change in (
                ("unknown version 7", edit(lambda version, parts: (7, parts))),
                ("part of the model is missing", edit(lambda version, parts: (version, parts[:4]))),
                ("bytes follow", edit(lambda version, parts: (version, [*parts, b"more"]))),
                ("released numbers", with_part(3, lambda data: data[:-8])),
                ("released numbers", with_part(3, lambda data: data + b"\0" * 8)),
                ("schema says", with_schema(maxContributions=2)), ("schema says", with_schema(adjacency="replace-one")),
                ("another unit", with_schema(privacyUnit="region")),
                ("unknown origin", with_part(2, lambda data: data.replace(b"measured", b"imagined", 1))),
                ("has no rows", with_part(0, lambda data: data.replace(b'"rows"', b'"lines"', 1))),
                ("checksum inside", lambda data: data[:-1] + bytes([data[-1] ^ 1])),
                ("not a model file", lambda data: b"PK" + data)):
            self.expect_after(words, "model.scumble", change)

    def test_lists_in_another_order_and_both_kinds_of_claims(self):
        sums = self.bundle / "SHA256SUMS"
        text = sums.read_text()
        sums.write_text("".join(reversed(text.splitlines(keepends=True))))
        self.assertIn("not sorted", self.failures())
        (self.bundle / "declared.txt").write_text("x")
        self.list_again()
        self.assertIn("both a certificate and a declaration", self.failures())

    def test_a_certificate_unlike_the_models(self):
        self.rewrite("certificate.json", lambda data: data.replace(b'"epsilon": 0.99', b'"epsilon": 0.98', 1))
        self.assertIn("not what the model holds", self.failures())

    def test_sentences_that_promise_more(self):
        for name in ("README.md", "index.html", "certificate.txt", "datapackage.json", "certificate.json"):
            original = (self.bundle / name).read_bytes()
            self.assertIn(b"(1, 1e-9)-differential", original, name)
            for less in (b"(0.5, 1e-9)-differential", b"(0.5, 1e-12)-differential", b"0.5-differential"):
                self.rewrite(name, lambda data: data.replace(b"(1, 1e-9)-differential", less, 1))
                self.assertNotEqual(self.failures(), "", (name, less))
                self.rewrite(name, lambda data: original)
        self.rewrite("registry-entry.yaml", lambda data: data.replace(b"epsilon: 1.0", b"epsilon: 0.1"))
        self.assertIn("registry-entry.yaml", self.failures())

    def test_the_noisy_tables_state_the_guarantee_of_the_certificate(self):
        self.rewrite("marginals.json", lambda data: data.replace(b'"epsilon":0.99', b'"epsilon":0.09'))
        self.assertIn("marginals.json", self.failures())


def flipped(data, place, bit):
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def flipped_bits_found(rng, bundle, each, signers=None):
    """The number of flipped bits that are found, and of all: `each` in every file of a bundle."""
    found = total = 0
    for path in sorted(path for path in pathlib.Path(bundle).rglob("*") if path.is_file()):
        original = path.read_bytes()
        # The first and the last byte, where parsers are weakest, and others at random.
        places = [0, len(original) - 1] + [rng.randrange(len(original)) for _ in range(each - 2)]
        for place in places:
            path.write_bytes(flipped(original, place, rng.randrange(8)))
            total += 1
            found += not verifier.check_path(str(bundle), signers).holds()
        path.write_bytes(original)
    return found, total


if __name__ == "__main__":
    unittest.main()
