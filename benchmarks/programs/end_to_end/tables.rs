//! The whole way by the real program, and what came out.

use std::path::Path;
use std::process::Command;

use arrow_schema::DataType;
use scumble::engine::{CodedTable, column_types};
use scumble::{Input, ReadOptions, Schema};
use scumble_evaluate::OneWayDistances;

use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::{Result, measured_fit};

/// The largest total variation distance of a one-way distribution that is still good.
const WORST_DISTANCE: f64 = 0.01;
const BUDGET: [&str; 4] = ["--epsilon", "1", "--delta", "1e-9"];

/// `scumble demo` and `scumble synth` on 100,000 rows.
pub(crate) fn demo(folder: &Path, figures: &mut Figures) -> Result<()> {
    let people = folder.join("people");
    scumble(&["demo", "--rows", "100000", "-o", text(&people)])?;
    synthesise("demo", &people.join("people.csv"), &people.join("people.schema.yaml"), Some(100_000), folder, figures)
}

/// The four tables of the papers through their domain files, and two tables of real values through
/// hand-written schemas.
pub(crate) fn benchmarks(data: &Path, folder: &Path, figures: &mut Figures) -> Result<()> {
    for name in ["nltcs", "acs", "adult", "br2000"] {
        let schema = folder.join(format!("{name}.schema.yaml"));
        let domain = data.join(name).join("domain.json");
        scumble(&["schema", "import", "--from", "mbi", text(&domain), "-o", text(&schema)])?;
        synthesise(name, &data.join(name).join("data.csv"), &schema, None, folder, figures)?;
    }
    for (name, file) in [("adult", "adult/raw.csv"), ("acs_national2019", "acs_national2019/raw.csv.gz")] {
        let schema = scumble_benchmarks::data::schemas().join(format!("{name}.schema.yaml"));
        synthesise(&format!("{name} raw"), &data.join(file), &schema, None, folder, figures)?;
    }
    Ok(())
}

fn synthesise(
    name: &str,
    real: &Path,
    schema_file: &Path,
    rows: Option<u64>,
    folder: &Path,
    figures: &mut Figures,
) -> Result<()> {
    let output = folder.join("synth.parquet");
    let count = rows.map(|rows| rows.to_string());
    // The demo has rules, which independent columns cannot keep.
    let method = if Schema::read(schema_file)?.rules().is_empty() { "independent" } else { "mst" };
    let mut arguments = vec!["synth", text(real), "--schema", text(schema_file), "--method", method];
    arguments.extend(BUDGET);
    if let Some(count) = &count {
        arguments.extend(["--rows", count]);
    }
    // One file for all tables: each replaces the last.
    arguments.extend(["-o", text(&output), "--force"]);
    scumble(&arguments)?;

    let schema = Schema::read(schema_file)?;
    let types = column_types(&Input::new(&output), None, &schema.output_spec().dialect)?.types;
    let other_types = schema
        .attributes()
        .iter()
        .zip(types.fields())
        .filter(|(attribute, field)| {
            attribute.name() != field.name() || attribute.field_type().arrow_type() != plain(field.data_type())
        })
        .count();
    let lost = schema.attributes().len().abs_diff(types.fields().len());
    figures.exactly(
        &format!("{name}: columns of another type than declared"),
        (other_types + lost) as f64,
        "columns",
        0.0,
    );

    let coded = |path: &Path| CodedTable::read(&[Input::new(path)], &schema, &ReadOptions::default());
    let distances = OneWayDistances::between(&coded(real)?, &coded(&output)?, &schema)?;
    println!("{name}, column by column: {distances}");
    figures.at_most(&format!("{name}: worst one-way total variation"), distances.worst(), "TVD", WORST_DISTANCE);
    Ok(())
}

/// The type that a column was written with: the reader likes to see text through views.
fn plain(read: &DataType) -> DataType {
    if *read == DataType::Utf8View { DataType::Utf8 } else { read.clone() }
}

/// Runs the program that was built beside this one.
fn scumble(arguments: &[&str]) -> Result<()> {
    let output = Command::new(measured_fit::path()?).args(arguments).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("scumble {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)).into())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths here are ours")
}
