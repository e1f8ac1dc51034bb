//! Benchmark tables: integer codes in memory, exact counts of them, and noise for experiments.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::Result;
use flate2::read::GzDecoder;
use rand::{Rng, RngExt};
use scumble_schema::{Clique, Domain, cells};

/// A table of codes, column by column.
#[derive(Debug, Clone)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Sizes of the columns.
    pub domain: Domain,
    /// The codes of every column.
    pub columns: Vec<Vec<u16>>,
}

impl Table {
    /// Reads the table in a folder: `data.csv` or `data.csv.gz`, and the sizes of its columns in
    /// `domain.json`.
    pub fn read(folder: &Path) -> Result<Self> {
        let sizes: BTreeMap<String, u32> = serde_json::from_reader(File::open(folder.join("domain.json"))?)?;
        let text: Box<dyn Read> = match File::open(folder.join("data.csv")) {
            Ok(plain) => Box::new(plain),
            Err(_) => Box::new(GzDecoder::new(File::open(folder.join("data.csv.gz"))?)),
        };
        let mut reader = csv::Reader::from_reader(text);
        let names: Vec<String> = reader.headers()?.iter().map(Into::into).collect();
        let size = |name: &String| sizes.get(name).copied().ok_or_else(|| format!("`{name}` has no size"));
        let domain = Domain::new(names.iter().map(size).collect::<Result<_, _>>()?)?;
        let mut columns = vec![Vec::new(); names.len()];
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record)? {
            for ((field, column), &size) in record.iter().zip(&mut columns).zip(domain.sizes()) {
                let code: u16 = field.parse()?;
                if u32::from(code) >= size {
                    return Err(format!("code {code} of an attribute of {size} codes").into());
                }
                column.push(code);
            }
        }
        Ok(Self { names, domain, columns })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Returns the exact counts over a clique, in the schema's order of cells.
    pub fn count(&self, clique: &Clique) -> Vec<u64> {
        let mut counts = vec![0; self.domain.table_len(clique).expect("a table of a benchmark fits memory")];
        let strides = cells::strides(&self.domain, clique);
        let axes: Vec<(&[u16], usize)> = clique
            .attributes()
            .iter()
            .zip(strides)
            .map(|(axis, stride)| (&*self.columns[axis.index()], stride))
            .collect();
        for row in 0..self.rows() {
            counts[axes.iter().map(|(codes, stride)| usize::from(codes[row]) * stride).sum::<usize>()] += 1;
        }
        counts
    }

    /// Returns the counts over a clique, each with Gaussian noise of this standard deviation.
    pub fn noisy(&self, clique: &Clique, standard_deviation: f64, rng: &mut impl Rng) -> Vec<f64> {
        self.count(clique).into_iter().map(|count| count as f64 + standard_deviation * gaussian(rng)).collect()
    }
}

/// Draws a standard Gaussian number with floats, for experiments on public tables. It protects
/// nobody.
pub fn gaussian(rng: &mut impl Rng) -> f64 {
    // From above zero to one, so that the logarithm is finite.
    let radius = 1.0 - rng.random::<f64>();
    (-2.0 * radius.ln()).sqrt() * (TAU * rng.random::<f64>()).cos()
}
