//! From a made-up survey to synthetic rows, in a dozen lines.
//!
//! `cargo run --release -p scumble-examples --example first_table`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use scumble::{ApproxDp, Delta, Epsilon, Input, Method, ReadOptions, Sampling, Schema, TableWriter, demo};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (real, synthetic) = (folder.path().join("people.csv"), folder.path().join("synth.csv"));

    // A table to be protected. Yours comes from elsewhere.
    let mut people = demo::people(10_000, 1);
    let mut writer = TableWriter::create(&real, people.arrow_schema().clone())?;
    people.try_for_each(|batch| writer.write(&batch))?;
    writer.finish()?;

    // What is public about it, and how much may be told of the rest.
    let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;
    let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };

    let model = scumble::fit(&[Input::new(&real)], &schema, &Method::Independent, goal, &ReadOptions::default())?;
    println!("{}", scumble::report::guarantee(&model));
    scumble::sample(&model, 10_000, scumble::fresh_seed()?, Sampling::for_rows(10_000), &synthetic, |_| true)?;

    for line in std::fs::read_to_string(&synthetic)?.lines().take(4) {
        println!("{line}");
    }
    Ok(())
}
