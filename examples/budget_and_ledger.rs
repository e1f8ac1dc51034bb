//! One cap for all fits of a table: a ledger that allows two and refuses the third.
//!
//! `cargo run -p scumble-examples --example budget_and_ledger`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;

use scumble::report::LedgerSummary;
use scumble::{ApproxDp, Delta, Epsilon, Fault, Fit, Input, Method, Schema, create_ledger, demo};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let delta = Delta::new(1e-9)?;
    let promise = |epsilon| Ok::<_, Box<dyn Error>>(ApproxDp { epsilon: Epsilon::new(epsilon)?, delta });

    let people = demo::people(10_000, 1);
    let table = [Input::of_batches(people.arrow_schema().clone(), people.collect())];
    let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;

    // Whoever answers for the table decides once what all that is ever released about it may cost.
    // Whose privacy that protects is said by the schema, and fits whose schema says otherwise are
    // refused.
    let path = folder.path().join("people.ledger");
    let ledger = create_ledger(&path, "people", &schema, promise(1.5)?, None)?;

    // Two colleagues each fit a model for epsilon 1. That is below 1.5, because Gaussian noise adds
    // up by squares.
    let goal = promise(1.0)?;
    for (colleague, method) in [("Ada", Method::named("mst")?), ("Ben", Method::named("aim")?)] {
        println!("{colleague} fits `{method}`");
        // Budget is reserved before a row is read, and stays reserved if the program dies. Once the
        // model is on disk, the ledger records what was really spent.
        let file = folder.path().join(colleague).with_extension("model");
        let model = Fit::new(&schema, goal).method(method).ledger(&ledger).save_to(file).run(&table)?;
        println!("    about {} rows", model.rows());
    }

    // A third of the same size would break the promise, so it never sees a row.
    let refused = Fit::new(&schema, goal).method(Method::named("mst")?).ledger(&ledger).run(&table);
    let error = refused.expect_err("the cap is below three such fits");
    assert_eq!(error.fault(), Fault::Budget);
    println!("Cid is refused:\n    error: {error}\n    hint: {}", error.hint().unwrap_or_default());

    // The statement is public: it names amounts and methods, nothing of the rows. `verify` checks
    // the file record by record.
    println!("\n{}", LedgerSummary::new(&ledger.verify()?));

    // What is left is enough for a smaller question.
    Fit::new(&schema, promise(0.3)?).method(Method::named("mst")?).ledger(&ledger).run(&table)?;
    println!("\nCid asks for epsilon 0.3 instead, and is served");
    Ok(())
}
