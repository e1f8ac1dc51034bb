//! A model, the folder that is published of it, and the checks of whoever gets that folder.
//!
//! `cargo run -p scumble-examples --example publish_a_release [FOLDER]`
//!
//! The release is left in FOLDER, which must not exist yet, or else nowhere.

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;
use std::path::PathBuf;

use scumble::bundle::{self, Publisher, Release, Verification};
use scumble::report::Explanation;
use scumble::{ApproxDp, Delta, Epsilon, Fit, Input, Method, Model, Schema, demo};

fn main() -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let folder = std::env::args_os().nth(1).map_or_else(|| scratch.path().join("people-release"), PathBuf::from);

    // On the steward's machine: the only step with real rows.
    let model_file = scratch.path().join("people.model");
    fit()?.write(&model_file)?;

    // On any machine: a model holds released values and public facts, so all that follows may be
    // seen.
    let model = Model::read(&model_file)?;
    // The first of the page that goes into the release as `certificate.txt`.
    for paragraph in Explanation::new(&model).to_string().split("\n\n").take(4) {
        println!("{paragraph}\n");
    }

    let publisher = Publisher {
        title: Some("Made-up people and homes".into()),
        curator: Some("Office of Made-up Statistics".into()),
        licence: Some("CC0-1.0".into()),
        ..Publisher::default()
    };
    // A fresh seed is published with the rows, so that everybody can draw the same ones again. It
    // has no influence on the noise.
    let release = Release { publisher, ..Release::new(5_000, "2026-11-16".parse()?)? };
    println!("{} has these files:", folder.display());
    for file in bundle::create(&model, &release, &folder, |_| true)? {
        println!("    {file}");
    }
    println!("left to the publisher to say: {}", release.left_open(&model).join(", "));

    // On the reader's machine: sums of files, certificate, documents and rows are all made again
    // from the model and compared.
    let found = bundle::verify(&folder, |_, _| true)?;
    assert!(found.holds());
    println!("\nas published, {}", outcome(&found));

    // One byte of one row is enough to be noticed.
    let rows_file = folder.join("data/synthetic.csv");
    let original = std::fs::read(&rows_file)?;
    let mut spoilt = original.clone();
    spoilt[1_000] ^= 1;
    std::fs::write(&rows_file, spoilt)?;
    let found = bundle::verify(&folder, |_, _| true)?;
    assert!(!found.holds());
    println!("with one byte changed, {}", outcome(&found));
    for check in found.failed() {
        println!("    {} {}", check.about, check.text);
    }
    std::fs::write(&rows_file, original)?;
    Ok(())
}

/// A model of the made-up survey.
fn fit() -> Result<Model, Box<dyn Error>> {
    let people = demo::people(10_000, 1);
    let table = Input::of_batches(people.arrow_schema().clone(), people.collect());
    let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
    let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;
    Ok(Fit::new(&schema, goal).method(Method::named("mst")?).run(&[table])?)
}

fn outcome(found: &Verification) -> String {
    let (all, failed) = (found.checks.len(), found.failed().count());
    if found.holds() { format!("all {all} checks pass") } else { format!("{failed} of {all} checks fail") }
}
