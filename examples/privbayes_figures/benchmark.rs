//! A public table, read as users read theirs, and the judge of what is made of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use scumble::mechanisms::Method;
use scumble::schema::{AdjacencyKind, AttributeId, SchemaSpec};
use scumble::{ApproxDp, Delta, Epsilon, Input, Model, ReadOptions, Sampling, Schema};
use scumble_evaluate::{CodedFile, Columns, MarginalDistances, MarginalSets};

use crate::Failure;

/// A table of codes with its schema.
pub(crate) struct Benchmark {
    pub(crate) name: String,
    pub(crate) schema: Schema,
    pub(crate) real: Columns,
    pub(crate) names: Vec<String>,
    folder: PathBuf,
    rows: PathBuf,
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
        let mut spec = SchemaSpec::read_mbi(&folder.join("domain.json"))?;
        spec.dp.adjacency = Some(adjacency);
        let CodedFile { names, columns } = CodedFile::in_folder(&folder)?;
        let plain = folder.join("data.csv");
        let rows = if plain.exists() { plain } else { folder.join("data.csv.gz") };
        Ok(Self { name: name.into(), schema: Schema::new(spec)?, real: columns, names, folder, rows })
    }

    /// The column of this name.
    pub(crate) fn column(&self, name: &str) -> Result<AttributeId, Failure> {
        let position = self.names.iter().position(|other| other == name);
        Ok(AttributeId::new(position.ok_or_else(|| format!("{} has no column {name}", self.name))?))
    }

    /// A model of the table, through a real scan of its file.
    pub(crate) fn fit(&self, run: &Run) -> Result<Model, Failure> {
        let goal = ApproxDp { epsilon: Epsilon::new(run.epsilon)?, delta: Delta::new(run.delta)? };
        Ok(scumble::fit(&[Input::new(&self.rows)], &self.schema, &run.method, goal, &ReadOptions::default())?)
    }

    /// As many synthetic rows as the model thinks the real table has.
    pub(crate) fn synthesise(&self, model: &Model, seed: u64, sampling: Sampling) -> Result<Columns, Failure> {
        let rows = model.rows().max(1);
        Ok(Columns::from_chunks(self.schema.domain().clone(), model.sample_codes(rows, seed, sampling))?)
    }

    /// The judge's marginal sets.
    pub(crate) fn sets(&self) -> Result<MarginalSets, Failure> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("sets.json");
        judge(&["sets", "--domain", text(&self.folder.join("domain.json")), "--out", text(&file)])?;
        Ok(MarginalSets::read(&file, &self.names)?.of_orders(&[2, 3, 4, 5]))
    }

    /// The judge's own distances for orders 2 to 5, from files.
    pub(crate) fn judged(&self, synthetic: &Columns) -> Result<Vec<f64>, Failure> {
        let folder = tempfile::tempdir()?;
        let (rows, result) = (folder.path().join("synthetic.csv"), folder.path().join("score.json"));
        let mut writer = csv::Writer::from_path(&rows)?;
        writer.write_record(&self.names)?;
        let columns: Vec<&[u32]> = synthetic.domain().attributes().map(|column| synthetic.codes(column)).collect();
        for row in 0..synthetic.rows() as usize {
            writer.write_record(columns.iter().map(|column| column[row].to_string()))?;
        }
        writer.flush()?;
        let domain = self.folder.join("domain.json");
        let files =
            ["--real", text(&self.rows), "--synth", text(&rows), "--domain", text(&domain), "--out", text(&result)];
        judge(&[&["score", "--alphas", "2,3,4,5"], &files[..]].concat())?;
        let score: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&result)?)?;
        let mean = |order: u32| score["tvd"][order.to_string()]["mean"].as_f64().ok_or("the judge gave no mean");
        Ok((2..=5).map(mean).collect::<Result<_, _>>()?)
    }

    /// Our distances for orders 2 to 5.
    pub(crate) fn distances(&self, synthetic: &Columns, sets: &MarginalSets) -> Result<Vec<f64>, Failure> {
        let distances = MarginalDistances::between(&self.real, synthetic, sets)?;
        Ok(distances.orders().iter().map(|order| order.mean).collect())
    }
}

fn judge(arguments: &[&str]) -> Result<(), Failure> {
    let script = std::env::var_os("SCUMBLE_JUDGE")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/eval/evaluate.py"), PathBuf::from);
    let python = std::env::var_os("SCUMBLE_PYTHON").unwrap_or_else(|| "python3".into());
    let output = Command::new(python).arg(&script).args(arguments).output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("the judge failed: {}", String::from_utf8_lossy(&output.stderr)).into())
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths here are plain text")
}
