//! What was asked for on the command line.

use std::path::PathBuf;

use scumble::mechanisms::Method;

use crate::{Failure, grid};

const PARTS: [&str; 5] = ["utility", "svm", "cost", "size", "ablation"];

/// A way to run the method.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Best,
    Paper,
}

impl Profile {
    pub(crate) const ALL: [Self; 2] = [Self::Best, Self::Paper];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Paper => "paper",
        }
    }

    /// The method with these options besides.
    pub(crate) fn method(self, options: &[&str]) -> Result<Method, Failure> {
        let profile = format!("profile={}", self.name());
        let options = std::iter::once(profile.as_str()).chain(options.iter().copied());
        Ok(Method::named("privmrf")?.with_options(options)?)
    }
}

/// What is measured, how often, and where it is written.
pub(crate) struct Request {
    pub(crate) parts: Vec<String>,
    tables: Option<Vec<String>>,
    epsilons: Option<Vec<f64>>,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) runs: usize,
    pub(crate) jobs: usize,
    pub(crate) mode: Mode,
    pub(crate) output: PathBuf,
    pub(crate) data: PathBuf,
}

/// What happens to results that are in the files already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Those of the chosen points make room for new ones.
    Afresh,
    /// They stay, and only what is missing is measured.
    Resume,
    /// They are all there is: nothing is measured.
    FromCsv,
}

impl Request {
    pub(crate) fn read() -> Result<Self, Failure> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut request = Self {
            parts: Vec::new(),
            tables: None,
            epsilons: None,
            profiles: Profile::ALL.to_vec(),
            runs: 10,
            jobs: grid::processors(),
            mode: Mode::Afresh,
            output: root.join("docs/reproduction"),
            data: std::env::var_os("SCUMBLE_BENCH_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--tables" => request.tables = Some(value()?.split(',').map(Into::into).collect()),
                "--epsilons" => request.epsilons = Some(value()?.split(',').map(str::parse).collect::<Result<_, _>>()?),
                "--profiles" => request.profiles = value()?.split(',').map(profile).collect::<Result<_, _>>()?,
                "--runs" => request.runs = value()?.parse()?,
                "--jobs" => request.jobs = value()?.parse()?,
                "--resume" => request.mode = Mode::Resume,
                "--from-csv" => request.mode = Mode::FromCsv,
                "--output" => request.output = value()?.into(),
                part if PARTS.contains(&part) => request.parts.push(part.into()),
                other => return Err(format!("no part `{other}`; there is {}", PARTS.join(", ")).into()),
            }
        }
        if request.parts.is_empty() {
            request.parts = PARTS.map(Into::into).to_vec();
        }
        Ok(request)
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
}

fn profile(name: &str) -> Result<Profile, String> {
    let found = Profile::ALL.into_iter().find(|profile| profile.name() == name);
    found.ok_or_else(|| format!("no profile `{name}`; there is best, paper"))
}
