//! What was asked for on the command line.

use std::path::PathBuf;

use crate::journal::Mode;
use crate::{Failure, grid};

/// What a program can be asked for.
pub(crate) struct Usage {
    pub(crate) parts: &'static [&'static str],
    /// The option that chooses what is measured, and all that it can name.
    pub(crate) contenders: (&'static str, &'static [&'static str]),
}

/// What is measured, how often, and where it is written.
pub(crate) struct Request {
    pub(crate) parts: Vec<&'static str>,
    tables: Option<Vec<String>>,
    epsilons: Option<Vec<f64>>,
    contenders: Option<Vec<&'static str>>,
    runs: Option<usize>,
    pub(crate) jobs: usize,
    pub(crate) mode: Mode,
    pub(crate) output: PathBuf,
    pub(crate) data: PathBuf,
}

impl Request {
    pub(crate) fn read(usage: &Usage) -> Result<Self, Failure> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut request = Self {
            parts: Vec::new(),
            tables: None,
            epsilons: None,
            contenders: None,
            runs: None,
            jobs: grid::processors(),
            mode: Mode::Afresh,
            output: published(),
            data: std::env::var_os("SCUMBLE_BENCH_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from),
        };
        let (chooses, contenders) = usage.contenders;
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--tables" => request.tables = Some(value()?.split(',').map(Into::into).collect()),
                "--epsilons" => request.epsilons = Some(value()?.split(',').map(str::parse).collect::<Result<_, _>>()?),
                "--runs" => request.runs = Some(value()?.parse()?),
                "--jobs" => request.jobs = value()?.parse()?,
                "--resume" => request.mode = Mode::Resume,
                "--from-csv" => request.mode = Mode::FromCsv,
                "--output" => request.output = value()?.into(),
                option if option == chooses => {
                    request.contenders =
                        Some(value()?.split(',').map(|name| one_of(contenders, name)).collect::<Result<_, _>>()?);
                }
                part => request.parts.push(one_of(usage.parts, part)?),
            }
        }
        if request.parts.is_empty() {
            request.parts = usage.parts.to_vec();
        }
        Ok(request)
    }

    /// Whether the benchmark tables are there, and says so if not; then there is a folder for what is measured of them.
    pub(crate) fn is_ready(&self) -> Result<bool, Failure> {
        if !self.data.join("adult").is_dir() {
            println!("skipped: no benchmark tables at {}; set SCUMBLE_BENCH_DATA", self.data.display());
            return Ok(false);
        }
        std::fs::create_dir_all(&self.output)?;
        Ok(true)
    }

    /// Those of these tables that were asked for: all, if none was named.
    pub(crate) fn tables(&self, all: &[&'static str]) -> Vec<&'static str> {
        let asked = |table: &&&str| self.tables.as_ref().is_none_or(|tables| tables.iter().any(|name| name == **table));
        all.iter().filter(asked).copied().collect()
    }

    /// The epsilons that were asked for, or else these.
    pub(crate) fn epsilons(&self, usual: &[f64]) -> Vec<f64> {
        self.epsilons.clone().unwrap_or_else(|| usual.to_vec())
    }

    /// What was asked for to be measured, or else these.
    pub(crate) fn contenders(&self, usual: &[&'static str]) -> Vec<&'static str> {
        self.contenders.clone().unwrap_or_else(|| usual.to_vec())
    }

    /// How many runs a point has: so many, unless others were asked for.
    pub(crate) fn runs(&self, usual: usize) -> usize {
        self.runs.unwrap_or(usual)
    }
}

/// Where the files of the documentation are.
pub(crate) fn published() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reproduction")
}

fn one_of(names: &'static [&'static str], wanted: &str) -> Result<&'static str, String> {
    let found = names.iter().find(|name| **name == wanted);
    found.copied().ok_or_else(|| format!("no `{wanted}`; there is {}", names.join(", ")))
}
