//! A public table, read as users read theirs, and the judge of what is made of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use scumble::mechanisms::Method;
use scumble::schema::{AdjacencyKind, CodeColumn, SchemaSpec};
use scumble::{ApproxDp, Delta, Epsilon, Input, Model, ReadOptions, Sampling, Schema};
use scumble_evaluate::{CodedFile, Columns, MarginalDistances, MarginalSets};
use serde_json::Value;

use crate::Failure;

/// A table of codes with its schema.
pub(crate) struct Benchmark {
    pub(crate) name: String,
    pub(crate) schema: Schema,
    pub(crate) real: Columns,
    pub(crate) names: Vec<String>,
    /// The file that says how many codes every column has.
    pub(crate) domain: PathBuf,
    /// The file of the real rows.
    pub(crate) rows: PathBuf,
}

/// What is fitted, and for how much.
pub(crate) struct Run {
    pub(crate) method: Method,
    pub(crate) epsilon: f64,
    pub(crate) delta: f64,
}

impl Benchmark {
    pub(crate) fn read(data: &Path, name: &str, adjacency: AdjacencyKind) -> Result<Self, Failure> {
        let folder = data.join(name);
        let domain = folder.join("domain.json");
        let mut spec = SchemaSpec::read_mbi(&domain)?;
        spec.dp.adjacency = Some(adjacency);
        let CodedFile { names, columns } = CodedFile::in_folder(&folder)?;
        let plain = folder.join("data.csv");
        let rows = if plain.exists() { plain } else { folder.join("data.csv.gz") };
        Ok(Self { name: name.into(), schema: Schema::new(spec)?, real: columns, names, domain, rows })
    }

    /// A model of the table, through a real scan of its file.
    pub(crate) fn fit(&self, run: &Run) -> Result<Model, Failure> {
        self.fit_to(&self.rows, run)
    }

    /// A model of some other rows with the same columns.
    pub(crate) fn fit_to(&self, rows: &Path, run: &Run) -> Result<Model, Failure> {
        let goal = ApproxDp { epsilon: Epsilon::new(run.epsilon)?, delta: Delta::new(run.delta)? };
        let model = scumble::fit(&[Input::new(rows)], &self.schema, &run.method, goal, &ReadOptions::default());
        model.map_err(|error| format!("{} at epsilon {}: {error}", self.name, run.epsilon).into())
    }

    /// As many synthetic rows as the model thinks the real table has.
    pub(crate) fn synthesise(&self, model: &Model, seed: u64, sampling: Sampling) -> Result<Columns, Failure> {
        let rows = model.rows().max(1);
        Ok(Columns::from_chunks(self.schema.domain().clone(), model.sample_codes(rows, seed, sampling))?)
    }

    /// The judge's marginal sets of these orders.
    pub(crate) fn sets(&self, orders: &[usize]) -> Result<MarginalSets, Failure> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("sets.json");
        judge(&["sets", "--domain", text(&self.domain), "--out", text(&file)])?;
        Ok(MarginalSets::read(&file, &self.names)?.of_orders(orders))
    }

    /// Writes synthetic rows as the judge reads them.
    pub(crate) fn write(&self, synthetic: &Columns, rows: &Path) -> Result<(), Failure> {
        let mut writer = csv::Writer::from_path(rows)?;
        writer.write_record(&self.names)?;
        let columns: Vec<&CodeColumn> = synthetic.domain().attributes().map(|column| synthetic.codes(column)).collect();
        for row in 0..synthetic.rows() as usize {
            writer.write_record(columns.iter().map(|column| column.get(row).to_string()))?;
        }
        Ok(writer.flush()?)
    }

    /// The judge's own distances for these orders, from files.
    pub(crate) fn judged(&self, synthetic: &Columns, orders: &[usize]) -> Result<Vec<f64>, Failure> {
        let folder = tempfile::tempdir()?;
        let rows = folder.path().join("synthetic.csv");
        self.write(synthetic, &rows)?;
        let list = orders.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let score = score(&self.rows, &self.domain, &rows, &["--alphas", &list])?;
        let mean = |order: &usize| score["tvd"][order.to_string()]["mean"].as_f64().ok_or("the judge gave no mean");
        Ok(orders.iter().map(mean).collect::<Result<_, _>>()?)
    }

    /// Our distances for the orders of the sets.
    pub(crate) fn distances(&self, synthetic: &Columns, sets: &MarginalSets) -> Result<Vec<f64>, Failure> {
        let distances = MarginalDistances::between(&self.real, synthetic, sets)?;
        Ok(distances.orders().iter().map(|order| order.mean).collect())
    }
}

/// What the judge says of a file of synthetic rows beside real ones.
pub(crate) fn score(real: &Path, domain: &Path, synthetic: &Path, options: &[&str]) -> Result<Value, Failure> {
    let folder = tempfile::tempdir()?;
    let result = folder.path().join("score.json");
    let files = ["--real", text(real), "--domain", text(domain), "--synth", text(synthetic), "--out", text(&result)];
    judge(&[&["score"], &files[..], options].concat())?;
    Ok(serde_json::from_str(&std::fs::read_to_string(&result)?)?)
}

/// Runs the judge, which writes files.
pub(crate) fn judge(arguments: &[&str]) -> Result<(), Failure> {
    let script = std::env::var_os("SCUMBLE_JUDGE")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/eval/evaluate.py"), PathBuf::from);
    let python = std::env::var_os("SCUMBLE_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    // Several judges are at work side by side: threads of theirs would only wait for each other.
    command.env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
    let output = command.arg(&script).args(arguments).output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("the judge failed: {}", String::from_utf8_lossy(&output.stderr)).into())
    }
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("paths here are plain text")
}
