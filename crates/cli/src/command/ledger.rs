//! `scumble ledger`

use scumble::bundle::LedgerHead;
use scumble::report::LedgerSummary;
use scumble::schema::learn::terms_alone;
use scumble::vault::ledger::Statement;
use scumble::{ApproxDp, Fault, Ledger, Schema, create_ledger, refuse_weak_terms};
use serde_json::json;

use crate::arguments::{LedgerCommand, LedgerFile, LedgerInit, LedgerVerb, LedgerVerify, NotedHead};
use crate::failure::Failure;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &LedgerCommand, terminal: &Terminal) -> Result<(), Failure> {
    match &arguments.verb {
        LedgerVerb::Init(arguments) => init(arguments, terminal),
        LedgerVerb::Show(arguments) => show(arguments, terminal),
        LedgerVerb::Verify(arguments) => verify(arguments, terminal),
        LedgerVerb::Head(arguments) => head(arguments, terminal),
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

fn verify(arguments: &LedgerVerify, terminal: &Terminal) -> Result<(), Failure> {
    let statement = Ledger::open(&arguments.ledger)?.verify()?;
    for noted in &arguments.head {
        find(noted, &statement)?;
    }
    let (records, jobs, head) = (statement.records, statement.jobs.len(), &statement.head);
    let (newest, found) = (LedgerHead::newest(&statement), arguments.head.len());
    let suspect = statement.suspect;
    let json =
        json!({ "records": records, "jobs": jobs, "head": head, "newest": newest, "found": found, "suspect": suspect });
    terminal.result(
        || &json,
        || {
            let found = match found {
                0 => String::new(),
                1 => "\nthe noted head is one of them".into(),
                found => format!("\nthe {found} noted heads are among them"),
            };
            format!("all {records} records are intact, and {jobs} fits are within the cap{found}\nhead {head}")
        },
    );
    warn_if_suspect(suspect, terminal);
    Ok(())
}

/// Refuses a ledger that does not contain a noted head: an older copy, or another history.
fn find(noted: &NotedHead, statement: &Statement) -> Result<(), Failure> {
    let found = match noted.record {
        Some(record) => statement.hashes.get(record) == Some(&noted.hash),
        None => statement.hashes.contains(&noted.hash),
    };
    if found {
        return Ok(());
    }
    let records = statement.records;
    let problem = match noted.record {
        Some(record) if record >= records => {
            format!(
                "the ledger is older than the head {noted}: it has {records} records, and record {record} is missing"
            )
        }
        Some(record) => format!("the ledger has another record {record} than the head {noted}"),
        None => format!("the ledger has no record with the hash {noted}"),
    };
    let hint = "this is an older copy, another ledger, or one that was rewritten: do not fit on it, and look for the newest copy";
    Err(Failure::new(Fault::Data, problem, Some(hint.into())))
}

fn head(arguments: &LedgerFile, terminal: &Terminal) -> Result<(), Failure> {
    let statement = Ledger::open(&arguments.ledger)?.verify()?;
    let newest = LedgerHead::newest(&statement);
    terminal.result(
        || json!({ "records": statement.records, "record": newest.record, "hash": newest.hash }),
        || newest.to_string(),
    );
    warn_if_suspect(statement.suspect, terminal);
    Ok(())
}
