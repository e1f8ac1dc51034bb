//! Several methods on one table at two budgets, and how far their rows are from the real ones.
//!
//! `cargo run -p scumble-examples --example compare_methods`
//!
//! The comparison reads the real rows, so it is for whoever may see them, and a method that is
//! chosen by it was chosen by looking at them. To choose one for a table of your own, compare on a
//! public or made-up table that resembles it.

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;

use scumble::{ApproxDp, Delta, Epsilon, Fit, Input, Method, ReadOptions, Sampling, Schema, SchemaSpec, demo};
use scumble_evaluate::{Columns, MarginalDistances, MarginalSets, NOT_PRIVATE};

/// Some columns of the survey, so that every method is done in seconds.
const COLUMNS: [&str; 8] = ["sex", "age", "marital_status", "education", "occupation", "income", "housing", "smoker"];
const METHODS: [&str; 6] = ["independent", "privbayes", "privbayes-nist", "mst", "aim", "auto"];
const EPSILONS: [f64; 2] = [0.5, 4.0];
const ROWS: u64 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut spec = SchemaSpec::parse(demo::PEOPLE_SCHEMA)?;
    spec.fields.retain(|field| COLUMNS.contains(&field.name.as_str()));
    // Not every method keeps rules, and here all are to do the same.
    spec.dp.rules.clear();
    let schema = Schema::new(spec)?;
    let options = ReadOptions::default();

    let table = [people(1)];
    let real = Columns::read(&table, &schema, &options)?;
    // All pairs and all triples of columns.
    let sets = MarginalSets::drawn(COLUMNS.len(), &[2, 3], usize::MAX);

    println!("{NOT_PRIVATE}");
    println!(
        "share of {ROWS} rows in another cell than the real ones, mean over all pairs and triples of {} columns\n",
        COLUMNS.len()
    );
    println!("{:20} {:>10} {:>8} {:>8}", "method", "epsilon", "pairs", "triples");
    for name in METHODS {
        for epsilon in EPSILONS {
            let goal = ApproxDp { epsilon: Epsilon::new(epsilon)?, delta: Delta::new(1e-9)? };
            let model = Fit::new(&schema, goal).method(Method::named(name)?).run(&table)?;
            let chunks = model.sample_codes(ROWS, 1, Sampling::for_rows(ROWS));
            let synthetic = Columns::from_chunks(schema.domain().clone(), chunks)?;
            print_line(name, &epsilon.to_string(), &MarginalDistances::between(&real, &synthetic, &sets)?);
        }
    }
    // For scale: as many other people of the same country, who differ by chance alone. A model of
    // these people can be nearer.
    let others = Columns::read(&[people(2)], &schema, &options)?;
    print_line("(other people)", "", &MarginalDistances::between(&real, &others, &sets)?);
    Ok(())
}

/// The made-up people of a seed.
fn people(seed: u64) -> Input {
    let people = demo::people(ROWS, seed);
    Input::of_batches(people.arrow_schema().clone(), people.collect())
}

fn print_line(method: &str, epsilon: &str, distances: &MarginalDistances) {
    let mean = |order| distances.order(order).map_or(f64::NAN, |distance| distance.mean);
    println!("{method:20} {epsilon:>10} {:8.4} {:8.4}", mean(2), mean(3));
}
