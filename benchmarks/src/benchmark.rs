//! Public tables, read as users read theirs, and the judge of synthetic rows.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, data};
use scumble::mechanisms::Method;
use scumble::schema::{AdjacencyKind, CodeColumn, SchemaSpec};
use scumble::{ApproxDp, Delta, Epsilon, Input, Model, Sampling, Schema};
use scumble_evaluate::{CodedFile, Columns, MarginalDistances, MarginalSets};
use serde_json::Value;

/// A table of codes with its schema.
pub struct Benchmark {
    /// Its folder among the benchmark tables.
    pub name: String,
    /// Columns of codes.
    pub schema: Schema,
    /// The real rows.
    pub real: Columns,
    /// Names of the columns.
    pub names: Vec<String>,
    /// The file with the number of codes of every column.
    pub domain: PathBuf,
    /// The file of the real rows.
    pub rows: PathBuf,
}

/// A fit: a method and its privacy goal.
pub struct Run {
    /// The method.
    pub method: Method,
    /// The epsilon of the goal.
    pub epsilon: f64,
    /// The delta of the goal.
    pub delta: f64,
}

impl Benchmark {
    /// Reads the table of this name from the folder of benchmark tables.
    pub fn read(data: &Path, name: &str, adjacency: AdjacencyKind) -> Result<Self> {
        let folder = data.join(name);
        let domain = folder.join("domain.json");
        let mut spec = SchemaSpec::read_mbi(&domain)?;
        spec.dp.adjacency = Some(adjacency);
        let CodedFile { names, columns } = CodedFile::in_folder(&folder)?;
        let plain = folder.join("data.csv");
        let rows = if plain.exists() { plain } else { folder.join("data.csv.gz") };
        Ok(Self { name: name.into(), schema: Schema::new(spec)?, real: columns, names, domain, rows })
    }

    /// Fits a model to the table, through a real scan of its file.
    pub fn fit(&self, run: &Run) -> Result<Model> {
        self.fit_to(&self.rows, run)
    }

    /// Fits a model to other rows with the same columns.
    pub fn fit_to(&self, rows: &Path, run: &Run) -> Result<Model> {
        let goal = ApproxDp { epsilon: Epsilon::new(run.epsilon)?, delta: Delta::new(run.delta)? };
        let model = scumble::Fit::new(&self.schema, goal)
            .method(run.method.clone())
            .accept_weak_privacy(true)
            .run(&[Input::new(rows)]);
        model.map_err(|error| format!("{} at epsilon {}: {error}", self.name, run.epsilon).into())
    }

    /// Draws the number of rows that the model estimates for the real table.
    pub fn synthesise(&self, model: &Model, seed: u64, sampling: Sampling) -> Result<Columns> {
        let rows = model.rows().max(1);
        Ok(Columns::from_chunks(self.schema.domain().clone(), model.sample_codes(rows, seed, sampling))?)
    }

    /// Returns the judge's marginal sets of these orders.
    pub fn sets(&self, orders: &[usize]) -> Result<MarginalSets> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("sets.json");
        judge(&["sets", "--domain", text(&self.domain), "--out", text(&file)])?;
        Ok(MarginalSets::read(&file, &self.names)?.of_orders(orders))
    }

    /// Writes synthetic rows in the format of the judge.
    pub fn write(&self, synthetic: &Columns, rows: &Path) -> Result<()> {
        let mut writer = csv::Writer::from_path(rows)?;
        writer.write_record(&self.names)?;
        let columns: Vec<&CodeColumn> = synthetic.domain().attributes().map(|column| synthetic.codes(column)).collect();
        for row in 0..synthetic.rows() as usize {
            writer.write_record(columns.iter().map(|column| column.get(row).to_string()))?;
        }
        Ok(writer.flush()?)
    }

    /// Returns the judge's own distances for these orders, from files.
    pub fn judged(&self, synthetic: &Columns, orders: &[usize]) -> Result<Vec<f64>> {
        let folder = tempfile::tempdir()?;
        let rows = folder.path().join("synthetic.csv");
        self.write(synthetic, &rows)?;
        let list = orders.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let score = score(&self.rows, &self.domain, &rows, &["--alphas", &list])?;
        let mean = |order: &usize| score["tvd"][order.to_string()]["mean"].as_f64().ok_or("the judge gave no mean");
        Ok(orders.iter().map(mean).collect::<Result<_, _>>()?)
    }

    /// Returns our distances for the orders of the sets.
    pub fn distances(&self, synthetic: &Columns, sets: &MarginalSets) -> Result<Vec<f64>> {
        let distances = MarginalDistances::between(&self.real, synthetic, sets)?;
        Ok(distances.orders().iter().map(|order| order.mean).collect())
    }
}

/// Returns the judge's scores of a file of synthetic rows beside real ones.
pub fn score(real: &Path, domain: &Path, synthetic: &Path, options: &[&str]) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let result = folder.path().join("score.json");
    let files = ["--real", text(real), "--domain", text(domain), "--synth", text(synthetic), "--out", text(&result)];
    judge(&[&["score"], &files[..], options].concat())?;
    Ok(serde_json::from_str(&std::fs::read_to_string(&result)?)?)
}

/// Runs the judge, which writes its results to files.
pub fn judge(arguments: &[&str]) -> Result<()> {
    let python = std::env::var_os("SCUMBLE_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    // Several judges run at the same time: threads of each would only wait for those of the others.
    command.env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
    let output = command.arg(data::judge()).args(arguments).output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("the judge failed: {}", String::from_utf8_lossy(&output.stderr)).into())
    }
}

/// Returns a path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("paths here are plain text")
}
