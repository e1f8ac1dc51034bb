//! Noisy tables as files: what a selection measured, for several programs to start from the same.
#![allow(dead_code, reason = "each program that has this module needs a part of it")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use scumble_pgm::Measurement;
use scumble_schema::{Clique, Domain};
use serde::{Deserialize, Serialize};

/// The noisy tables of one run of one selection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// The benchmark table.
    pub(crate) table: String,
    /// Who chose what to measure: `mst` or `aim`.
    pub(crate) selection: String,
    /// All that was spent, selection included.
    pub(crate) rho: f64,
    pub(crate) attributes: Vec<NamedSize>,
    /// The number of rows, estimated from the tables.
    pub(crate) total: f64,
    pub(crate) measurements: Vec<NoisyValues>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NamedSize {
    pub(crate) name: String,
    pub(crate) size: u32,
}

/// A table over a clique, in the schema's order of cells.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NoisyValues {
    pub(crate) clique: Clique,
    /// Of the noise on each cell.
    pub(crate) standard_deviation: f64,
    pub(crate) values: Vec<i64>,
}

impl Measured {
    /// The files that are kept, by name.
    pub(crate) const KEPT: [&str; 4] = ["nltcs-mst", "nltcs-aim", "adult-mst", "adult-aim"];

    /// Where a kept file is.
    pub(crate) fn path(name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pgm/examples/pgm_figures/measured");
        folder.join(name).with_extension("json")
    }

    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        Ok(fs::write(path, serde_json::to_string(self)? + "\n")?)
    }

    /// The tables, as they are fitted.
    pub(crate) fn measurements(&self) -> Vec<Measurement> {
        let domain = self.domain();
        let measurement = |table: &NoisyValues| {
            let values = table.values.iter().map(|&value| value as f64).collect();
            Measurement::new(&domain, table.clique.clone(), values, table.standard_deviation)
        };
        self.measurements.iter().map(|table| measurement(table).expect("it was measured over this domain")).collect()
    }

    pub(crate) fn domain(&self) -> Domain {
        let sizes = self.attributes.iter().map(|attribute| attribute.size).collect();
        Domain::new(sizes).expect("the sizes were a domain when they were written")
    }
}
