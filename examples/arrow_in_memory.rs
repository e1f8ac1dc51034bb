//! Arrow record batches in, synthetic record batches out, and no file in between.
//!
//! `cargo run -p scumble-examples --example arrow_in_memory`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::collections::BTreeMap;
use std::error::Error;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use scumble::{ApproxDp, Delta, Epsilon, Fit, Input, Method, Sampling, Schema, demo};

fn main() -> Result<(), Box<dyn Error>> {
    // What a query engine, a service or a data frame hands over: columns and batches. They are read
    // where they are.
    let people = demo::people(20_000, 1);
    let columns = people.arrow_schema().clone();
    let batches: Vec<RecordBatch> = people.collect();
    println!("in:  {} batches of {} columns", batches.len(), columns.fields().len());

    let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;
    let goal = ApproxDp { epsilon: Epsilon::new(2.0)?, delta: Delta::new(1e-9)? };
    let input = Input::of_batches(columns, batches);
    // A tree of pairs, which is fitted in a moment. `Method::recommended(goal)` is nearer to the
    // table and takes longer.
    let model = Fit::new(&schema, goal).method(Method::named("mst")?).run(&[input])?;

    // A model is sampled lazily: a billion rows need the memory of a few batches. The same seed
    // gives the same rows.
    let rows = 200_000;
    let mut drawn = 0;
    let mut incomes = BTreeMap::new();
    for batch in model.sample(rows, 7, Sampling::for_rows(rows)) {
        if drawn == 0 {
            println!("out: batches such as this one, of {} rows", batch.num_rows());
            for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
                println!(
                    "     {:15} {:24} {} missing",
                    field.name(),
                    field.data_type().to_string(),
                    column.null_count()
                );
            }
        }
        drawn += batch.num_rows();
        add_incomes(&batch, &mut incomes);
    }

    // Anything may be computed from synthetic rows and shown to anybody.
    println!("\nmean income of {drawn} synthetic people, by education:");
    for (education, (people, total)) in incomes {
        println!("     {education:16} {:6} crowns, {people} people", total / people);
    }
    Ok(())
}

/// Adds the people of a batch who have an income, and their incomes, to those of the same
/// education.
fn add_incomes(batch: &RecordBatch, incomes: &mut BTreeMap<String, (i64, i64)>) {
    let education = batch["education"].as_string::<i32>();
    let income = batch["income"].as_primitive::<Int64Type>();
    for (education, income) in education.iter().zip(income) {
        if let (Some(education), Some(income)) = (education, income) {
            let (people, total) = incomes.entry(education.to_owned()).or_default();
            *people += 1;
            *total += income;
        }
    }
}
