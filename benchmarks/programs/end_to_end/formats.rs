//! A table in several formats gives equal counts.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use scumble::engine::CodedTable;
use scumble::schema::Clique;
use scumble::{Input, ReadOptions, Schema, TableWriter};
use scumble_engine::exact::ExactCounts;

use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

/// CSV, gzip CSV and Parquet of the two tables with real values: all one-way tables and all pairs
/// of neighbours.
pub(crate) fn equal_counts(data: &Path, folder: &Path, figures: &mut Figures) -> Result<()> {
    for (name, file) in [("adult", "adult/raw.csv"), ("acs_national2019", "acs_national2019/raw.csv.gz")] {
        let schema = Schema::read(&scumble_benchmarks::data::schemas().join(format!("{name}.schema.yaml")))?;
        let attributes: Vec<_> = schema.domain().attributes().collect();
        let mut cliques = schema.domain().one_way();
        cliques.push(Clique::empty());
        cliques.extend(attributes.windows(2).map(|pair| Clique::new(pair.iter().copied())));
        let written = write_formats(&data.join(file), folder)?;
        let mut counts = Vec::new();
        for path in &written {
            let table = CodedTable::read(&[Input::new(path)], &schema, &ReadOptions::default())?;
            counts.push(table.count_tables(&cliques)?);
        }
        let differing =
            counts[1..].iter().flat_map(|other| other.iter().zip(&counts[0])).filter(|(a, b)| a != b).count();
        let differing = differing as f64;
        let what = format!("{name} raw: tables that differ between CSV, gzip CSV and Parquet");
        figures.exactly(&what, differing, "tables", 0.0);
    }
    Ok(())
}

/// The text of a CSV file, gzipped or not, as CSV, gzip CSV and Parquet.
fn write_formats(source: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut bytes = Vec::new();
    if source.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(File::open(source)?).read_to_end(&mut bytes)?;
    } else {
        File::open(source)?.read_to_end(&mut bytes)?;
    }
    let paths = ["raw.csv", "raw.csv.gz", "raw.parquet"].map(|name| folder.join(name));
    std::fs::write(&paths[0], &bytes)?;
    let mut encoder = GzEncoder::new(File::create(&paths[1])?, Compression::fast());
    std::io::copy(&mut bytes.as_slice(), &mut encoder)?;
    encoder.finish()?;

    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let names: Vec<String> = reader.headers()?.iter().map(Into::into).collect();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for row in reader.records() {
        row?.iter().zip(&mut columns).for_each(|(field, column)| column.push(field.into()));
    }
    let fields: Vec<Field> = names.into_iter().map(|name| Field::new(name, DataType::Utf8, false)).collect();
    let schema = Arc::new(ArrowSchema::new(fields));
    let arrays = columns.into_iter().map(|column| Arc::new(StringArray::from(column)) as ArrayRef).collect();
    let mut writer = TableWriter::create(&paths[2], Arc::clone(&schema))?;
    writer.write(&RecordBatch::try_new(schema, arrays)?)?;
    writer.finish()?;
    Ok(paths.to_vec())
}
