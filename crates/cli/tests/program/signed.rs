//! `--sign`, `--signers` and heads of ledgers.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::folder::{FIT, Folder};

const BUNDLE: [&str; 9] = ["bundle", "a.model", "--rows", "300", "--seed", "5", "--date", "2026-11-15", "-o"];
const NAME: &str = "data@office.example";

/// Returns a folder with a table, two keys and a file of signers that has one of them, or `None` if
/// there is no `ssh-keygen`.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn office() -> Option<Folder> {
    let folder = Folder::with_table();
    for key in ["office", "other"] {
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key]).current_dir(folder.path(""));
        let Ok(made) = keygen.stdin(Stdio::null()).output() else {
            eprintln!("skipped: ssh-keygen is not installed");
            return None;
        };
        assert!(made.status.success());
    }
    let public = std::fs::read_to_string(folder.path("office.pub")).unwrap();
    folder.write("signers", format!("{NAME} namespaces=\"scumble-release\" {public}"));
    folder.write("others", format!("{NAME} {}", std::fs::read_to_string(folder.path("other.pub")).unwrap()));
    Some(folder)
}

/// Returns what a run printed, if it ended with this exit code.
fn expect(folder: &Folder, code: i32, arguments: &[&str]) -> String {
    let output = folder.output(arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.output(&[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {output:?}"))
}

#[test]
fn a_signed_bundle_is_verified_by_the_keys_of_its_readers() {
    let Some(folder) = office() else { return };
    expect(&folder, 0, &[&FIT[..], &["a.model"]].concat());
    let written = expect(&folder, 0, &[&BUNDLE[..], &["signed", "--sign", "office"]].concat());
    assert!(written.contains("in a signed bundle of 15 files"), "{written}");
    let verify = |code, more: &[&str]| expect(&folder, code, &[&["bundle", "verify", "signed"][..], more].concat());
    let found = verify(0, &["--signers", "signers"]);
    assert!(
        found.contains(&format!("ok           signature            of SHA256SUMS is by `{NAME}`, key SHA256:")),
        "{found}"
    );
    verify(0, &["--signers", "signers", "--signer", NAME]);
    let found = verify(0, &[]);
    assert!(
        found.contains("not checked  signature            was not checked, because no `--signers` was given"),
        "{found}"
    );
    let refused = verify(3, &["--signers", "others"]);
    assert!(refused.contains("error: verification failed: signature is not by an accepted signer"), "{refused}");
    assert!(refused.contains("hint: "), "{refused}");
    verify(3, &["--signers", "signers", "--signer", "somebody@else.example"]);
    verify(2, &["--signer", NAME]);
    assert!(verify(2, &["--signers", "nobody"]).contains("hint: give a file with lines of a name and a public key"));
    // OpenSSH alone accepts it.
    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-Y", "verify", "-n", "scumble-release", "-f", "signers", "-I", NAME, "-s", "signed/SHA256SUMS.sig"]);
    let list = std::fs::File::open(folder.path("signed/SHA256SUMS")).unwrap();
    assert!(keygen.current_dir(folder.path("")).stdin(list).output().unwrap().status.success());

    expect(&folder, 0, &[&BUNDLE[..], &["plain"]].concat());
    let unsigned = expect(&folder, 3, &["bundle", "verify", "plain", "--signers", "signers"]);
    assert!(unsigned.contains("FAILED       signature  is missing: there is no SHA256SUMS.sig"), "{unsigned}");
    assert!(!expect(&folder, 0, &["bundle", "verify", "plain"]).contains("signature"));
}

#[test]
fn a_key_that_does_not_sign_costs_nothing() {
    let Some(folder) = office() else { return };
    expect(&folder, 0, &[&FIT[..], &["a.model"]].concat());
    let refused = expect(&folder, 2, &[&BUNDLE[..], &["signed", "--sign", "nothing"]].concat());
    assert!(refused.contains("error: cannot sign with `nothing`: "), "{refused}");
    assert!(refused.contains("hint: give the file of a private key"), "{refused}");
    assert!(!folder.path("signed").exists());
    folder.write("criteria.yaml", "criteria:\n  - {tables: 1, atMost: 0.9}\n");
    expect(&folder, 0, &["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "9", "-d", "1e-9"]);
    let release = ["release", "table.csv", "-s", "table.schema.yaml", "-m", "independent", "-e", "8", "-d", "1e-9"];
    let release =
        [&release[..], &["--accept", "criteria.yaml", "--ledger", "a.ledger", "-o", "out", "--sign"]].concat();
    expect(&folder, 2, &[&release[..], &["nothing"]].concat());
    expect(&folder, 2, &[&release[..], &["nothing", "--dry-run"]].concat());
    let show = json(&folder, &["ledger", "show", "a.ledger"]);
    assert_eq!(show["jobs"].as_array().unwrap().len(), 0, "nothing was reserved: {show}");
    // Without OpenSSH no key signs.
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
    program.args([&BUNDLE[..], &["signed", "--sign", "office"]].concat());
    let output = program.current_dir(folder.path("")).env("PATH", "").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(6), "{text}");
    assert!(text.contains("error: cannot run `ssh-keygen`: it is not installed\nhint: install OpenSSH"), "{text}");
}

#[test]
fn a_release_is_signed_with_the_state_of_its_ledger() {
    let Some(folder) = office() else { return };
    folder.write("criteria.yaml", "criteria:\n  - {tables: 1, atMost: 0.9}\n");
    expect(&folder, 0, &["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "9", "-d", "1e-8"]);
    let release = ["release", "table.csv", "-s", "table.schema.yaml", "-m", "independent", "-e", "8", "-d", "1e-9"];
    let more = ["--accept", "criteria.yaml", "--ledger", "a.ledger", "--sign", "office", "-o", "out"];
    let written = expect(&folder, 0, &[&release[..], &more].concat());
    assert!(written.contains("in a signed bundle"), "{written}");
    let found = expect(&folder, 0, &["bundle", "verify", "out", "--signers", "signers"]);
    assert!(found.contains("ok           ledger.json"), "{found}");
    let ledger: Value = serde_json::from_slice(&std::fs::read(folder.path("out/ledger.json")).unwrap()).unwrap();
    assert_eq!((&ledger["job"], &ledger["jobs"]), (&ledger["head"], &Value::from(1)));
    let head = format!("{}:{}", ledger["head"]["record"], ledger["head"]["hash"].as_str().unwrap());
    assert_eq!(expect(&folder, 0, &["ledger", "head", "a.ledger"]).trim(), head);
    expect(&folder, 0, &["ledger", "verify", "a.ledger", "--head", &head]);
    // The model of the bundle can be bundled again, with the state of now.
    let again = ["bundle", "out/model.scumble", "--rows", "100", "--ledger", "a.ledger", "-o", "again"];
    expect(&folder, 0, &again);
    let now: Value = serde_json::from_slice(&std::fs::read(folder.path("again/ledger.json")).unwrap()).unwrap();
    assert_eq!(now["head"], ledger["head"]);
    assert_eq!(now["spent"], ledger["spent"], "the job had ended before the bundle was written");
    expect(&folder, 0, &[&FIT[..], &["a.model"]].concat());
    let refused = expect(&folder, 2, &[&BUNDLE[..], &["new", "--ledger", "a.ledger"]].concat());
    assert!(refused.contains("error: the model was not fitted on a ledger\nhint: leave out the ledger"), "{refused}");
}

/// The key is on a device that is removed after it was tried.
#[cfg(unix)]
#[test]
fn a_release_whose_bundle_cannot_be_written_keeps_its_model() {
    use std::os::unix::fs::PermissionsExt;
    let Some(folder) = office() else { return };
    let path = std::env::var("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|place| place.join("ssh-keygen")).find(|file| file.exists()).unwrap();
    folder.write("ssh-keygen", format!("#!/bin/sh\nmkdir tried && exec {} \"$@\"\n", real.display()));
    std::fs::set_permissions(folder.path("ssh-keygen"), PermissionsExt::from_mode(0o755)).unwrap();
    folder.write("criteria.yaml", "criteria:\n  - {tables: 1, atMost: 0.9}\n");
    expect(&folder, 0, &["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "9", "-d", "1e-8"]);
    let release = ["release", "table.csv", "-s", "table.schema.yaml", "-m", "independent", "-e", "8", "-d", "1e-9"];
    let release = [&release[..], &["--accept", "criteria.yaml", "--ledger", "a.ledger", "-o", "out"]].concat();
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
    program.args([&release[..], &["--sign", "office"]].concat()).current_dir(folder.path(""));
    let output = program.env("PATH", format!("{}:{path}", folder.root().display())).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("error: cannot sign with `office`"), "{text}");
    assert!(text.contains("`scumble bundle out.model -o out` writes the same rows for free"), "{text}");
    assert!(!text.contains("--resume"), "there is nothing to resume: {text}");
    assert!(!folder.path("out").exists());
    let jobs = json(&folder, &["ledger", "show", "a.ledger"])["jobs"].clone();
    assert!(jobs[0]["releases"].is_number(), "the job ended: {jobs}");
    let again = expect(&folder, 2, &release);
    assert!(again.contains("out.model exists: the model of a release that wrote no bundle"), "{again}");
    // As the message says, with the key that is back.
    expect(&folder, 0, &["bundle", "out.model", "-o", "out", "--sign", "office"]);
    assert!(folder.path("out/quality.json").exists(), "the rows that were checked");
}

#[test]
fn an_older_copy_of_a_ledger_is_noticed_by_a_noted_head() {
    let folder = Folder::with_table();
    expect(&folder, 0, &["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "3", "-d", "1e-9"]);
    let head = || expect(&folder, 0, &["ledger", "head", "a.ledger"]).trim().to_owned();
    let opened = head();
    assert!(opened.starts_with("0:"), "{opened}");
    let fit = [&["--ledger", "a.ledger"][..], &FIT].concat();
    let fit = |model| [&fit[2..], &[model], &fit[..2]].concat();
    expect(&folder, 0, &fit("first.model"));
    let first = head();
    std::fs::copy(folder.path("a.ledger"), folder.path("older.ledger")).unwrap();
    expect(&folder, 0, &fit("second.model"));
    let second = head();
    assert!(first.starts_with("1:") && second.starts_with("3:"), "{first} {second}");
    let verify = |code, ledger, heads: &[&str]| {
        let heads = heads.iter().flat_map(|head| ["--head", head]);
        expect(&folder, code, &["ledger", "verify", ledger].into_iter().chain(heads).collect::<Vec<_>>())
    };
    assert!(verify(0, "a.ledger", &[&second]).contains("the noted head is one of them"));
    assert!(verify(0, "a.ledger", &[&opened, &first, &second]).contains("the 3 noted heads are among them"));
    verify(0, "older.ledger", &[&opened, &first]);
    let refused = verify(3, "older.ledger", &[&first, &second]);
    assert!(
        refused.contains(&format!("error: the ledger is older than the head {second}: it has 3 records")),
        "{refused}"
    );
    assert!(refused.contains("hint: this is an older copy"), "{refused}");
    // The hash in a certificate has no number.
    let certificate = json(&folder, &["inspect", "second.model"])["certificate"]["ledger"].clone();
    let hash = certificate["head"].as_str().unwrap();
    verify(0, "a.ledger", &[hash]);
    assert!(verify(3, "older.ledger", &[hash]).contains("has no record with the hash"));
    // Another ledger has another history.
    expect(&folder, 0, &["ledger", "init", "b.ledger", "-s", "table.schema.yaml", "-e", "3", "-d", "1e-9"]);
    let other = format!("1:{hash}");
    assert!(verify(3, "a.ledger", &[&other]).contains("has another record 1"));
    let said = json(&folder, &["ledger", "head", "a.ledger"]);
    assert_eq!((&said["records"], &said["record"]), (&Value::from(5), &Value::from(3)));
    assert_eq!(second, format!("3:{}", said["hash"].as_str().unwrap()));
    assert!(verify(2, "a.ledger", &["3:short"]).contains("not a head"));
}
