//! From a table in a file to synthetic rows in another, with what has to be said about it in
//! between.
//!
//! `cargo run -p scumble-examples --example first_table`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use scumble::{ApproxDp, Delta, Draw, Epsilon, Fit, Input, Schema, TableWriter, demo};

/// What is public about the table, as its owner declares it: columns, and the values they may have.
/// Nothing of this may be read off the rows. Columns that are not named here are never read.
const SCHEMA: &str = "
dp: {privacyUnit: row, maxContributions: 1}   # a row is a person, and nobody has two
fields:
  - {name: sex, type: string, constraints: {enum: [female, male, other]}, dp: {source: public}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 85, required: true}, dp: {source: public, bins: {width: 5}}}
  - name: education
    type: string
    constraints: {enum: [none, primary, lower secondary, upper secondary, vocational, bachelor, master, doctorate]}
    dp: {source: public}
  - {name: income, type: integer, dp: {source: public, bins: {edges: [-50000, 0, 1, 10000, 20000, 40000, 80000, 500000]}}}
  - {name: smoker, type: boolean, dp: {source: public}}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (real, synthetic) = (folder.path().join("people.csv"), folder.path().join("synth.csv"));

    // A table to be protected. Yours comes from elsewhere; this one is made up.
    let mut people = demo::people(10_000, 1);
    let mut writer = TableWriter::create(&real, people.arrow_schema().clone())?;
    people.try_for_each(|batch| writer.write(&batch))?;
    writer.finish()?;

    // What is public, and the budget for the rest.
    let schema = Schema::parse(SCHEMA)?;
    let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };

    // The only step that reads rows, and the only one that costs privacy.
    let model = Fit::new(&schema, goal).run(&[Input::new(&real)])?;
    println!("{}\n", scumble::report::guarantee(&model));

    // From here on everything is free: any number of rows, as often as you like.
    let drawn = Draw::from(&model).write(&synthetic)?;

    println!("{} synthetic people, of whom the first are:", drawn.rows);
    for line in std::fs::read_to_string(&synthetic)?.lines().take(6) {
        println!("    {line}");
    }
    Ok(())
}
