//! One cap for all fits of a table: a ledger that allows two and refuses the third.
//!
//! `cargo run -p scumble-examples --example budget_and_ledger`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;

use scumble::report::LedgerSummary;
use scumble::{
    ApproxDp, Delta, Epsilon, Fault, Input, Method, ReadOptions, Schema, Start, create_ledger, demo, fit_on,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let delta = Delta::new(1e-9)?;
    let promise = |epsilon| Ok::<_, Box<dyn Error>>(ApproxDp { epsilon: Epsilon::new(epsilon)?, delta });

    let people = demo::people(10_000, 1);
    let table = [Input::of_batches(people.arrow_schema().clone(), people.collect())];
    let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;

    // Whoever answers for the table decides once what all that is ever released about it may cost. Whose privacy that protects is
    // said by the schema, and fits whose schema says otherwise are refused.
    let path = folder.path().join("people.ledger");
    let ledger = create_ledger(&path, "people", &schema, promise(1.5)?, None)?;

    // Two colleagues each fit a model for epsilon 1. That is below 1.5, because Gaussian noise adds up by squares.
    let (goal, options) = (promise(1.0)?, ReadOptions::default());
    for (colleague, method) in [("Ada", Method::named("mst")?), ("Ben", Method::named("aim")?)] {
        let (model, job) = fit_on(&ledger, Start::New, &table, &schema, &method, goal, &options)?;
        // Budget is reserved before a row is read, and stays reserved if the program dies here. Once the model is on disk the job
        // is committed, and the ledger knows what was really spent.
        model.write(&folder.path().join(colleague).with_extension("model"))?;
        job.commit()?;
        println!("{colleague} fitted `{method}`: about {} rows", model.rows());
    }

    // A third of the same size would break the promise, so it never sees a row.
    let refused = fit_on(&ledger, Start::New, &table, &schema, &Method::named("mst")?, goal, &options);
    let error = refused.expect_err("the cap is below three such fits");
    assert_eq!(error.fault(), Fault::Budget);
    println!("Cid is refused:\n    error: {error}\n    hint: {}", error.hint().unwrap_or_default());

    // The statement is public: it names amounts and methods, nothing of the rows. `verify` checks the file record by record.
    println!("\n{}", LedgerSummary::new(&ledger.verify()?));

    // What is left is enough for a smaller question.
    let (_, job) = fit_on(&ledger, Start::New, &table, &schema, &Method::named("mst")?, promise(0.3)?, &options)?;
    job.commit()?;
    println!("\nCid asks for epsilon 0.3 instead, and is served");
    Ok(())
}
