//! Signed bundles: `ssh-keygen` makes and checks the signatures, and no flipped byte stays unseen.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use scumble::bundle::{self, LedgerHead, LedgerState, Outcome, Release, Signer, Signers, Verification};
use scumble::{Fault, Fit, Input, Ledger, Method, Model, Schema, create_ledger};

use crate::support::{SCHEMA, files, goal, model, release, table};

const NAMESPACE: &str = "scumble-release";
const NAME: &str = "data@office.example";

/// Returns whether `ssh-keygen` is missing, so that a test is skipped.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn is_missing() -> bool {
    let missing = Command::new("ssh-keygen").arg("-?").output().is_err();
    if missing {
        eprintln!("skipped: ssh-keygen is not installed");
    }
    missing
}

/// A folder with keys, files of signers and bundles.
struct Office {
    folder: tempfile::TempDir,
}

impl Office {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn keygen(&self, arguments: &[&str]) -> Output {
        let mut keygen = Command::new("ssh-keygen");
        let output = keygen.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// Makes a key of this kind.
    fn key(&self, name: &str, kind: &str, bits: &str) -> Signer {
        self.keygen(&["-q", "-t", kind, "-b", bits, "-N", "", "-C", "", "-f", name]);
        Signer::try_key(&self.path(name)).unwrap()
    }

    /// Returns the signers of a file with one line: a name with options, and a key.
    fn signers(&self, before: &str, key: &str) -> Signers {
        let public = std::fs::read_to_string(self.path(&format!("{key}.pub"))).unwrap();
        std::fs::write(self.path("signers"), format!("# Keys of the office\n{before} {public}")).unwrap();
        Signers::of(&self.path("signers"))
    }

    fn bundle(&self, name: &str, model: &Model, release: &Release, signer: &Signer) -> PathBuf {
        let folder = self.path(name);
        let names = bundle::create_signed(model, release, signer, &folder, |_| true).unwrap();
        assert!(names.contains(&"SHA256SUMS.sig"));
        folder
    }
}

fn verify(folder: &Path, signers: &Signers) -> Verification {
    bundle::verify_signed(folder, signers, |_, _| true).unwrap()
}

/// Returns the outcome and the text of the check of the signature.
fn signature(found: &Verification) -> (Outcome, &str) {
    let check = found.checks.iter().find(|check| check.about == "signature").unwrap_or_else(|| panic!("{found:#?}"));
    (check.outcome, &check.text)
}

#[test]
fn keys_of_every_kind_sign() {
    if is_missing() {
        return;
    }
    let (office, model) = (Office::new(), model("independent"));
    let kinds = [("ed25519", "256"), ("ecdsa", "256"), ("ecdsa", "384"), ("ecdsa", "521"), ("rsa", "2048")];
    for (place, (kind, bits)) in kinds.into_iter().enumerate() {
        let key = format!("key{place}");
        let signer = office.key(&key, kind, bits);
        assert_eq!(signer.key(), office.path(&key));
        let folder = office.bundle(&format!("bundle{place}"), &model, &release(), &signer);
        let signers = office.signers(&format!("{NAME} namespaces=\"{NAMESPACE}\""), &key);
        let found = verify(&folder, &signers);
        assert!(found.checks.iter().all(|check| check.outcome == Outcome::Passed), "{kind} {bits}: {found:#?}");
        let listed = office.keygen(&["-l", "-f", &key]);
        let fingerprint = String::from_utf8(listed.stdout).unwrap().split(' ').nth(1).unwrap().to_owned();
        let (_, text) = signature(&found);
        assert!(text.contains(NAME) && text.contains(&fingerprint), "{text} lacks {fingerprint}");
        assert!(verify(&folder, &signers.clone().named(NAME)).holds());
        // Without signers it is a bundle like any other.
        let unread = bundle::verify(&folder, |_, _| true).unwrap();
        assert!(unread.holds());
        assert_eq!(signature(&unread).0, Outcome::NotChecked);
    }
}

#[test]
fn only_the_signature_is_new() {
    if is_missing() {
        return;
    }
    let (office, model) = (Office::new(), model("independent"));
    let signer = office.key("key", "ed25519", "256");
    let mut written = files(&office.bundle("signed", &model, &release(), &signer));
    bundle::create(&model, &release(), &office.path("plain"), |_| true).unwrap();
    let signature = written.remove("SHA256SUMS.sig").unwrap();
    assert_eq!(written, files(&office.path("plain")));
    // A bundle may be signed later, by hand.
    office.keygen(&["-Y", "sign", "-q", "-n", NAMESPACE, "-f", "key", "plain/SHA256SUMS"]);
    assert_eq!(files(&office.path("plain"))["SHA256SUMS.sig"], signature, "ed25519 signs in one way");
    assert!(verify(&office.path("plain"), &office.signers(NAME, "key")).holds());
}

#[test]
fn signatures_that_prove_nothing_are_refused() {
    if is_missing() {
        return;
    }
    let (office, model) = (Office::new(), model("independent"));
    let signer = office.key("key", "ed25519", "256");
    office.key("other", "ed25519", "256");
    let folder = office.bundle("bundle", &model, &release(), &signer);
    let refused = |signers: &Signers, words: &str| {
        let found = verify(&folder, signers);
        let (outcome, text) = signature(&found);
        assert_eq!(outcome, Outcome::Failed, "{words}: {found:#?}");
        assert!(text.contains(words), "{words}: {text}");
        assert!(found.checks.iter().all(|check| check.about != "model.scumble"), "nothing else is read: {found:#?}");
    };
    refused(&office.signers(NAME, "other"), "not by an accepted signer");
    refused(&office.signers(&format!("{NAME} valid-before=\"20200101\""), "key"), "expired");
    refused(&office.signers(&format!("{NAME} valid-after=\"29990101\""), "key"), "not yet valid");
    refused(&office.signers(&format!("{NAME} namespaces=\"git\""), "key"), "namespace");
    refused(&office.signers(NAME, "key").named("somebody@else.example"), "not by an accepted signer");
    std::fs::write(office.path("signers"), "these are no signers\n").unwrap();
    refused(&Signers::of(&office.path("signers")), "not by an accepted signer");
    let signers = office.signers(NAME, "key");
    assert!(verify(&folder, &signers).holds());

    let right = std::fs::read(folder.join("SHA256SUMS.sig")).unwrap();
    let by_hand = |arguments: &[&str], text: &str| {
        std::fs::write(office.path("text"), text).unwrap();
        let _ = std::fs::remove_file(office.path("text.sig"));
        office.keygen(&[arguments, &["text"]].concat());
        std::fs::copy(office.path("text.sig"), folder.join("SHA256SUMS.sig")).unwrap();
    };
    let list = std::fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    by_hand(&["-Y", "sign", "-q", "-n", "git", "-f", "key"], &list);
    refused(&signers, "another purpose");
    by_hand(&["-Y", "sign", "-q", "-n", NAMESPACE, "-f", "other"], &list);
    refused(&signers, "not by an accepted signer");
    by_hand(&["-Y", "sign", "-q", "-n", NAMESPACE, "-f", "key"], &(list + "\n"));
    refused(&signers, "incorrect signature");
    let other = office.bundle("another", &model, &Release { seed: 8, ..release() }, &signer);
    std::fs::copy(other.join("SHA256SUMS.sig"), folder.join("SHA256SUMS.sig")).unwrap();
    refused(&signers, "incorrect signature");
    std::fs::write(folder.join("SHA256SUMS.sig"), "not a signature").unwrap();
    refused(&signers, "is not an SSH signature");
    assert!(!bundle::verify(&folder, |_, _| true).unwrap().holds(), "also if nobody asks who signed");
    std::fs::write(folder.join("SHA256SUMS.sig"), vec![b'A'; 1 << 20]).unwrap();
    refused(&signers, "too long");
    std::fs::remove_file(folder.join("SHA256SUMS.sig")).unwrap();
    refused(&signers, "is missing");
    std::fs::write(folder.join("SHA256SUMS.sig"), right).unwrap();
    assert!(verify(&folder, &signers).holds());
    std::fs::write(folder.join("extra"), "").unwrap();
    assert!(!verify(&folder, &signers).holds());
}

/// Number of bytes to flip in files that the list names, spread over their length.
const PLACES: usize = 40;

#[test]
fn any_flipped_byte_of_a_signed_bundle_is_found() {
    if is_missing() {
        return;
    }
    let office = Office::new();
    let signer = office.key("key", "ecdsa", "256");
    let folder = office.bundle("bundle", &model("independent"), &release(), &signer);
    let signers = office.signers(NAME, "key").named(NAME);
    let mut flips = 0_u32;
    for (name, bytes) in files(&folder) {
        // Every byte of the list and of its signature, since all else depends on them.
        let step = if name.starts_with("SHA256SUMS") { 1 } else { bytes.len().div_ceil(PLACES) };
        for place in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << (flips % 8);
            std::fs::write(folder.join(&name), &flipped).unwrap();
            assert!(!verify(&folder, &signers).holds(), "{name}, byte {place}, bit {}", flips % 8);
            flips += 1;
        }
        std::fs::write(folder.join(&name), &bytes).unwrap();
    }
    assert!(verify(&folder, &signers).holds());
    assert!(flips > 1_900, "{flips}");
}

#[test]
fn a_key_that_does_not_sign_and_signers_that_cannot_be_read_are_errors() {
    if is_missing() {
        return;
    }
    let office = Office::new();
    let signer = office.key("key", "ed25519", "256");
    let fault = |error: scumble::bundle::BundleError| {
        let error = scumble::Error::from(error);
        assert!(error.hint().is_some(), "{error}");
        (error.fault(), error.to_string())
    };
    let (kind, text) = fault(Signer::try_key(&office.path("nothing")).unwrap_err());
    assert!(kind == Fault::Usage && text.contains("No such file"), "{kind:?} {text}");
    // A key that goes away after the trial leaves no bundle.
    std::fs::remove_file(office.path("key")).unwrap();
    std::fs::remove_file(office.path("key.pub")).unwrap();
    let model = model("independent");
    assert!(bundle::create_signed(&model, &release(), &signer, &office.path("bundle"), |_| true).is_err());
    assert_eq!(std::fs::read_dir(office.folder.path()).unwrap().count(), 0);
    let signer = office.key("key", "ed25519", "256");
    let folder = office.bundle("bundle", &model, &release(), &signer);
    let error = bundle::verify_signed(&folder, &Signers::of(&office.path("nobody")), |_, _| true).unwrap_err();
    assert!(error.fault() == Fault::Usage && error.to_string().contains("no such file"), "{error}");
}

/// Fits a model on a ledger, and returns both.
fn on_ledger(office: &Office, ledger: &str) -> (Ledger, Model) {
    let schema = Schema::parse(SCHEMA).unwrap();
    let cap = scumble::ApproxDp { epsilon: scumble::Epsilon::new(3.0).unwrap(), ..goal() };
    let path = office.path(ledger);
    let ledger = if path.exists() {
        Ledger::open(&path)
    } else {
        Ok(create_ledger(&path, "visits", &schema, cap, None).unwrap())
    };
    let ledger = ledger.unwrap();
    let data = office.path("real.csv");
    std::fs::write(&data, table()).unwrap();
    let fit = Fit::new(&schema, goal()).method(Method::named("independent").unwrap()).ledger(Some(&ledger));
    let (model, job) = fit.reserve(&[Input::new(&data)]).unwrap().run().unwrap();
    job.unwrap().commit().unwrap();
    (ledger, model)
}

#[test]
fn the_ledger_of_a_model_is_shown_with_its_newest_reservation() {
    let office = Office::new();
    let (ledger, first) = on_ledger(&office, "visits.ledger");
    let before = LedgerHead::newest(&ledger.verify().unwrap());
    let (_, second) = on_ledger(&office, "visits.ledger");
    let statement = ledger.verify().unwrap();
    let state = LedgerState::new(&statement, &first).unwrap();
    assert_eq!((state.jobs, state.job.record, state.head.record), (2, 1, 3));
    assert_eq!(state.job, before);
    assert_eq!(statement.hashes[3], state.head.hash);
    assert_ne!(statement.head, state.head.hash, "the end of the second job, and so its time, is not shown");
    assert_eq!(state.spent, statement.spent);

    let folder = office.path("bundle");
    let shown = Release { ledger: Some(state.clone()), ..release() };
    assert!(bundle::create(&first, &shown, &folder, |_| true).unwrap().contains(&"ledger.json"));
    let found = bundle::verify(&folder, |_, _| true).unwrap();
    assert!(found.checks.iter().all(|check| check.outcome == Outcome::Passed), "{found:#?}");
    let text = std::fs::read_to_string(folder.join("ledger.json")).unwrap();
    assert_eq!(serde_json::from_str::<LedgerState>(&text).unwrap(), state);

    // Of another model, another ledger or none, it is refused.
    let refused = |model: &Model, ledger: LedgerState| {
        let release = Release { ledger: Some(ledger), ..release() };
        let error = bundle::create(model, &release, &office.path("refused"), |_| true).unwrap_err();
        assert_eq!(error.fault(), Fault::Usage, "{error}");
    };
    refused(&second, state.clone());
    refused(&model("independent"), state.clone());
    refused(&first, LedgerState { spent: state.cap + 1, ..state.clone() });
    refused(&first, LedgerState { dataset: "people".into(), ..state.clone() });
    refused(&first, LedgerState { goal: goal(), ..state.clone() });
    refused(&first, LedgerState { head: state.job.clone(), jobs: 2, ..state.clone() });
    refused(&first, LedgerState { jobs: 0, ..state.clone() });
    let (other, _) = on_ledger(&office, "other.ledger");
    assert!(LedgerState::new(&other.verify().unwrap(), &first).is_err());
    assert!(LedgerState::new(&statement, &model("independent")).is_err());
}
