//! Files of noisy tables that a selection measured, so that several programs start from the same
//! tables.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use scumble_pgm::Measurement;
use scumble_schema::{Clique, Domain};
use serde::{Deserialize, Serialize};

/// The noisy tables of one run of one selection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// The benchmark table.
    pub table: String,
    /// The method that selected the tables: `mst` or `aim`.
    pub selection: String,
    /// The whole budget spent, selection included.
    pub rho: f64,
    /// The columns.
    pub attributes: Vec<NamedSize>,
    /// The number of rows, estimated from the tables.
    pub total: f64,
    /// The tables.
    pub measurements: Vec<NoisyValues>,
}

/// A column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NamedSize {
    /// Its name.
    pub name: String,
    /// Its number of codes.
    pub size: u32,
}

/// A table over a clique, in the schema's order of cells.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NoisyValues {
    /// The attributes of the table.
    pub clique: Clique,
    /// Standard deviation of the noise on each cell.
    pub standard_deviation: f64,
    /// Noisy counts.
    pub values: Vec<i64>,
}

impl Measured {
    /// Names of the files in the repository.
    pub const KEPT: [&str; 4] = ["nltcs-mst", "nltcs-aim", "adult-mst", "adult-aim"];

    /// Returns the path of a file in the repository.
    pub fn path(name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("measured");
        folder.join(name).with_extension("json")
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
    }

    /// Writes a file.
    pub fn write(&self, path: &Path) -> Result<()> {
        Ok(fs::write(path, serde_json::to_string(self)? + "\n")?)
    }

    /// Returns the tables as the estimator takes them.
    pub fn measurements(&self) -> Vec<Measurement> {
        let domain = self.domain();
        let measurement = |table: &NoisyValues| {
            let values = table.values.iter().map(|&value| value as f64).collect();
            Measurement::new(&domain, table.clique.clone(), values, table.standard_deviation)
        };
        self.measurements.iter().map(|table| measurement(table).expect("it was measured over this domain")).collect()
    }

    /// Returns the domain of the table.
    pub fn domain(&self) -> Domain {
        let sizes = self.attributes.iter().map(|attribute| attribute.size).collect();
        Domain::new(sizes).expect("the sizes were a domain when they were written")
    }
}
