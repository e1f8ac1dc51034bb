//! `scumble bundle`

use std::fmt::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use scumble::bundle::{self, Date, LedgerState, Outcome, Release, Signer, Verification};
use scumble::report::guarantee;
use scumble::{Fault, Model};
use serde_json::json;

use crate::arguments::{BundleCommand, BundleCreate, BundleVerb, BundleVerify};
use crate::failure::Failure;
use crate::interrupt::Writing;
use crate::terminal::{Terminal, Unit};

/// Environment variable with the date of a reproducible build.
const DAY_VARIABLE: &str = "SOURCE_DATE_EPOCH";

pub(crate) fn run(arguments: &BundleCommand, terminal: &Terminal) -> Result<(), Failure> {
    match (&arguments.verb, &arguments.create) {
        (Some(BundleVerb::Verify(arguments)), _) => verify(arguments, terminal),
        (None, Some(arguments)) => create(arguments, terminal),
        (None, None) => unreachable!("clap requires a model"),
    }
}

fn create(arguments: &BundleCreate, terminal: &Terminal) -> Result<(), Failure> {
    let model = Model::read(&arguments.model)?;
    let date = arguments.date.map_or_else(today, Ok)?;
    let ledger = arguments.ledger.as_deref().map(|path| LedgerState::read(path, &model)).transpose()?;
    let signer = arguments.sign.as_deref().map(Signer::try_key).transpose()?;
    let usual = Release::of_model(&model, arguments.rows, arguments.seed, date)?;
    let release = Release {
        sampling: arguments.sampling.unwrap_or(usual.sampling),
        publisher: arguments.publisher(),
        ledger,
        ..usual
    };
    let rows = release.rows;
    let files = write(&model, &release, signer.as_ref(), &arguments.output, terminal)?;
    let open = release.left_open(&model);
    if !open.is_empty() {
        terminal.note(&format!(
            "publication metadata was not given: {}; set it with their options, or search the files for `TO BE \
             FILLED IN`",
            open.join(", ")
        ));
    }
    let folder = &arguments.output;
    terminal.result(
        || json!({ "output": folder, "files": files, "release": release, "left_open": open, "guarantee": guarantee(&model) }),
        || {
            let (count, shown) = (files.len(), folder.display());
            let what = if signer.is_some() { "a signed bundle" } else { "a bundle" };
            format!("wrote {rows} synthetic rows, in {what} of {count} files, to {shown}\n{}", guarantee(&model))
        },
    );
    Ok(())
}

/// Writes a bundle, shows progress, and stops on request.
pub(crate) fn write(
    model: &Model,
    release: &Release,
    signer: Option<&Signer>,
    folder: &Path,
    terminal: &Terminal,
) -> Result<Vec<&'static str>, Failure> {
    let writing = Writing::begin();
    let bar = terminal.progress("sampling", release.rows, Unit::Rows);
    let go_on = |written| {
        bar.set_position(written);
        !writing.stop_requested()
    };
    let written = match signer {
        Some(signer) => bundle::create_signed(model, release, signer, folder, go_on),
        None => bundle::create(model, release, folder, go_on),
    };
    bar.finish_and_clear();
    Ok(written?)
}

/// Returns the date of [`DAY_VARIABLE`], or today.
pub(crate) fn today() -> Result<Date, Failure> {
    let seconds = match std::env::var(DAY_VARIABLE) {
        Ok(text) => text.parse().ok(),
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs()),
    };
    seconds.and_then(Date::of_unix_seconds).ok_or_else(|| {
        let hint = format!("give `--date`, or set `{DAY_VARIABLE}` to seconds since 1970");
        Failure::new(Fault::Usage, "cannot determine the day of the release", Some(hint))
    })
}

fn verify(arguments: &BundleVerify, terminal: &Terminal) -> Result<(), Failure> {
    let bar = terminal.progress("drawing rows again", 0, Unit::Rows);
    // Nothing is written, so Ctrl-C ends the program at once.
    let go_on = |drawn, rows| {
        bar.set_length(rows);
        bar.set_position(drawn);
        true
    };
    let found = match arguments.accepted() {
        Some(signers) => bundle::verify_signed(&arguments.folder, &signers, go_on),
        None => bundle::verify(&arguments.folder, go_on),
    };
    bar.finish_and_clear();
    let found = found?;
    let Some(first) = found.failed().next() else {
        terminal.result(|| json!({ "ok": true, "checks": found.checks }), || in_words(&found));
        return Ok(());
    };
    terminal.text(|| in_words(&found));
    let more = match found.failed().count() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let problem = format!("verification failed: {} {}{more}", first.about, first.text);
    let hint = "fetch the bundle again from its publisher; if verification fails again, do not rely on it";
    Err(Failure::new(Fault::Data, problem, Some(hint.into())).with_details(json!({ "checks": found.checks })))
}

/// Formats the checks, one line each.
fn in_words(found: &Verification) -> String {
    let width = found.checks.iter().map(|check| check.about.len()).max().unwrap_or_default();
    let mut text = String::new();
    for check in &found.checks {
        let outcome = match check.outcome {
            Outcome::Passed => "ok",
            Outcome::Failed => "FAILED",
            Outcome::NotChecked => "not checked",
        };
        let _ = writeln!(text, "{outcome:11}  {:width$}  {}", check.about, check.text);
    }
    text.pop();
    text
}
