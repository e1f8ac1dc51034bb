//! One run of the program on a file.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use scumble_mechanisms::{Conditions, Model};
use scumble_schema::Schema;

use super::Attack;
use crate::error::AuditError;

/// The code of the planted row in every column.
const PLANTED_CODE: char = '0';

/// The files of an audit, in a folder of its own.
#[derive(Debug)]
pub(super) struct Folder {
    folder: tempfile::TempDir,
    schema: Schema,
}

impl Folder {
    /// Writes the schema and both tables.
    pub(super) fn new(schema: &str, tables: [&str; 2]) -> Result<Self, AuditError> {
        let failed = |error| AuditError::File { what: "cannot write the made-up tables".into(), error };
        let folder = tempfile::tempdir().map_err(failed)?;
        fs::write(folder.path().join("audit.schema.yaml"), schema).map_err(failed)?;
        for (name, table) in ["table.csv", "neighbour.csv"].into_iter().zip(tables) {
            fs::write(folder.path().join(name), table).map_err(failed)?;
        }
        Ok(Self { folder, schema: Schema::parse(schema).expect("it keeps the rules") })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program once, and computes the statistic of every attack from what it wrote.
    pub(super) fn trial(
        &self,
        program: &[OsString],
        arguments: &[String],
        run: u64,
        neighbour: bool,
    ) -> Result<Vec<f64>, AuditError> {
        let (rows, model) = (self.path(&format!("{run}.csv")), self.path(&format!("{run}.model")));
        let (name, first) = program.split_first().expect("a program has a name");
        let output = Command::new(name)
            .args(first)
            .arg("synth")
            .arg(self.path(if neighbour { "neighbour.csv" } else { "table.csv" }))
            .args([OsString::from("--schema"), self.path("audit.schema.yaml").into()])
            .args(arguments)
            .args([OsString::from("--model"), model.clone().into(), "-o".into(), rows.clone().into()])
            .arg("--quiet")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| AuditError::File { what: format!("cannot start {}", Path::new(name).display()), error })?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let message = text.lines().next().unwrap_or("it printed nothing").to_owned();
            return Err(AuditError::Program { run, message });
        }
        let failed = |error| AuditError::File { what: "cannot read the synthetic rows".into(), error };
        let text = fs::read_to_string(&rows).map_err(failed)?;
        let released = Model::read(&model)?;
        let values = Attack::ALL.map(|attack| self.statistic(attack, &text, &released)).into_iter().collect();
        for file in [rows, model] {
            // The folder is removed in any case.
            let _ = fs::remove_file(file);
        }
        values
    }

    fn statistic(&self, attack: Attack, rows: &str, model: &Model) -> Result<f64, AuditError> {
        let rows = || rows.lines().skip(1).filter(|row| !row.is_empty());
        let planted = |row: &&str| row.split(',').all(|value| value.starts_with(PLANTED_CODE));
        Ok(match attack {
            Attack::Rows => rows().count() as f64,
            Attack::Exact => rows().filter(planted).count() as f64,
            Attack::Share => rows().filter(planted).count() as f64 / (rows().count() as f64).max(1.0),
            Attack::OneWay => {
                let zeros = |row: &str| row.split(',').filter(|value| value.starts_with(PLANTED_CODE)).count();
                rows().map(zeros).sum::<usize>() as f64
            }
            Attack::Likelihood => {
                let names = self.schema.attributes().iter().map(|column| format!("{}=0", column.name()));
                let names: Vec<String> = names.collect();
                let conditions = Conditions::parse(&self.schema, names.iter().map(String::as_str))?;
                // An impossible row has no conditioned model.
                let probability = model.conditioned(&conditions, None).map_or(0.0, |part| part.probability());
                probability * model.rows() as f64
            }
        })
    }
}
