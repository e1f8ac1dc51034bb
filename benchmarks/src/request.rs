//! The command line of programs that measure methods on benchmark tables.

use std::path::PathBuf;

use crate::arguments::{Arguments, Usage};
use crate::journal::Mode;
use crate::{Result, data};
use scumble_pgm::parallel;

/// What is measured, how often, and where it is written.
pub struct Request {
    /// The parts to run.
    pub parts: Vec<&'static str>,
    tables: Option<Vec<String>>,
    epsilons: Option<Vec<f64>>,
    contenders: Option<Vec<&'static str>>,
    runs: Option<usize>,
    /// Number of runs at the same time.
    pub jobs: usize,
    /// What happens to results of earlier runs.
    pub mode: Mode,
    /// The folder for files.
    pub output: PathBuf,
    /// The folder of the benchmark tables.
    pub data: PathBuf,
}

impl Request {
    /// Reads the command line of a program with these parts. `contenders` is the option that
    /// selects what is measured, and all names that it accepts.
    pub fn parse(
        words: &[String],
        parts: &[&'static str],
        contenders: (&'static str, &[&'static str]),
    ) -> Result<Self> {
        let (option, names) = contenders;
        let options = ["--tables", "--epsilons", "--runs", "--jobs", "--output", option];
        let switches = ["--resume", "--from-csv", "--quick"];
        let usage = Usage { parts, options: &options, switches: &switches, ..Usage::default() };
        let arguments = Arguments::parse(words, &usage)?;
        let texts = |list: Vec<&str>| list.into_iter().map(Into::into).collect();
        let numbers = |list: Vec<&str>| list.into_iter().map(str::parse).collect::<Result<_, _>>();
        let known = |list: Vec<&str>| list.into_iter().map(|name| one_of(names, name)).collect::<Result<_, _>>();
        Ok(Self {
            parts: arguments.parts().to_vec(),
            tables: arguments.list("--tables").map(texts),
            epsilons: arguments.list("--epsilons").map(numbers).transpose()?,
            contenders: arguments.list(option).map(known).transpose()?,
            runs: if arguments.has("--quick") { Some(1) } else { arguments.value("--runs")? },
            jobs: arguments.value("--jobs")?.unwrap_or_else(parallel::processors),
            mode: match (arguments.has("--from-csv"), arguments.has("--resume")) {
                (true, _) => Mode::FromCsv,
                (false, true) => Mode::Resume,
                (false, false) => Mode::Afresh,
            },
            output: arguments.output(),
            data: data::folder(),
        })
    }

    /// Whether the benchmark tables are there; if so, makes the folder for files.
    pub fn is_ready(&self) -> Result<bool> {
        if !data::is_there(&self.data) {
            return Ok(false);
        }
        std::fs::create_dir_all(&self.output)?;
        Ok(true)
    }

    /// Those of these tables that are named on the command line; all of them if none is named.
    pub fn tables(&self, all: &[&'static str]) -> Vec<&'static str> {
        let named = |table: &&&str| self.tables.as_ref().is_none_or(|tables| tables.iter().any(|name| name == **table));
        all.iter().filter(named).copied().collect()
    }

    /// The epsilons that are given, or else these.
    pub fn epsilons(&self, usual: &[f64]) -> Vec<f64> {
        self.epsilons.clone().unwrap_or_else(|| usual.to_vec())
    }

    /// The contenders that are named, or else these.
    pub fn contenders(&self, usual: &[&'static str]) -> Vec<&'static str> {
        self.contenders.clone().unwrap_or_else(|| usual.to_vec())
    }

    /// Number of runs of a point: `--runs`, or else this many; one with `--quick`.
    pub fn runs(&self, usual: usize) -> usize {
        self.runs.unwrap_or(usual)
    }
}

fn one_of(names: &[&'static str], word: &str) -> Result<&'static str, String> {
    let found = names.iter().find(|name| **name == word);
    found.copied().ok_or_else(|| format!("unknown name `{word}`; expected one of: {}", names.join(", ")))
}
