//! `scumble ledger`

use scumble::report::LedgerSummary;
use scumble::schema::learn::terms_alone;
use scumble::{ApproxDp, Ledger, Schema, create_ledger, refuse_weak_terms};
use serde_json::json;

use crate::arguments::{LedgerCommand, LedgerFile, LedgerInit, LedgerVerb};
use crate::failure::Failure;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &LedgerCommand, terminal: &Terminal) -> Result<(), Failure> {
    match &arguments.verb {
        LedgerVerb::Init(arguments) => init(arguments, terminal),
        LedgerVerb::Show(arguments) => show(arguments, terminal),
        LedgerVerb::Verify(arguments) => verify(arguments, terminal),
    }
}

fn init(arguments: &LedgerInit, terminal: &Terminal) -> Result<(), Failure> {
    let cap = ApproxDp { epsilon: arguments.epsilon, delta: arguments.delta };
    if !arguments.weak.accept_weak_privacy {
        refuse_weak_terms(cap, None)?;
    }
    let schema = if let Some(path) = &arguments.schema {
        Schema::read(path)?
    } else {
        terms_alone(arguments.terms.table_terms())?
    };
    let stem = || arguments.ledger.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let dataset = arguments.dataset.clone().or_else(stem).unwrap_or_default();
    let ledger = create_ledger(&arguments.ledger, &dataset, &schema, cap, arguments.accounting)?;
    let summary = LedgerSummary::new(&ledger.verify()?);
    terminal.result(
        || json!({ "ledger": arguments.ledger, "summary": summary }),
        || format!("created the ledger {}\n{summary}", arguments.ledger.display()),
    );
    terminal.note(
        "keep it with the table, back it up, and never restore an older copy: it would lack what was spent since",
    );
    Ok(())
}

fn show(arguments: &LedgerFile, terminal: &Terminal) -> Result<(), Failure> {
    let summary = LedgerSummary::new(&Ledger::open(&arguments.ledger)?.verify()?);
    terminal.result(|| &summary, || summary.to_string());
    warn_if_suspect(summary.suspect, terminal);
    Ok(())
}

fn warn_if_suspect(suspect: bool, terminal: &Terminal) {
    if suspect {
        terminal.warn(
            "storage failed while the ledger was written, so it refuses to spend: check the disk, and delete the `.suspect` \
             file beside it if you trust it",
        );
    }
}

fn verify(arguments: &LedgerFile, terminal: &Terminal) -> Result<(), Failure> {
    let statement = Ledger::open(&arguments.ledger)?.verify()?;
    let (records, jobs, head) = (statement.records, statement.jobs.len(), &statement.head);
    let json = json!({ "records": records, "jobs": jobs, "head": head, "suspect": statement.suspect });
    terminal.result(
        || &json,
        || format!("all {records} records are intact, and {jobs} fits are within the cap\nhead {head}"),
    );
    warn_if_suspect(statement.suspect, terminal);
    Ok(())
}
