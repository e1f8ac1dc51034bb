//! Options of methods.

use std::path::PathBuf;

use clap::Args;
use scumble::vault::ApproxDp;
use scumble::{Error, Method, Workload, read_workload};

/// The options of a method.
#[derive(Debug, Args)]
pub(crate) struct MethodOptions {
    /// Option of the method, such as `spread=0.5`; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Named set of options, for methods that have several; short for `--option profile=NAME`
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Time that `auto` may take: `low` for seconds, `high` for minutes; short for `--option
    /// effort=NAME`. By default `normal`, up to half a minute for twenty columns
    #[arg(long, value_name = "NAME")]
    effort: Option<String>,
    /// Tables that matter more than others, for `auto`, `aim` and `mst`: a YAML or JSON file such
    /// as `tables: [{columns: [age, income], weight: 2}]`. They must not be chosen by looking at
    /// the data
    #[arg(long, value_name = "FILE")]
    pub(crate) workload: Option<PathBuf>,
    /// Column whose relations with every other column matter more than others, for `auto`, `aim`
    /// and `mst`
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
}

impl MethodOptions {
    /// Returns the method of this name, or the one recommended for `goal`, with these options.
    pub(crate) fn of_method(&self, name: Option<&str>, goal: ApproxDp) -> Result<Method, Error> {
        self.set(name.map_or_else(|| Ok(Method::recommended(goal)), Method::named)?)
    }

    /// Returns `method` with these options.
    pub(crate) fn set(&self, method: Method) -> Result<Method, Error> {
        let short = [("profile", &self.profile), ("effort", &self.effort)];
        let short = short.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)));
        let options: Vec<String> = short.chain(self.options.iter().cloned()).collect();
        let method = method.with_options(options.iter().map(String::as_str))?;
        let named = self.workload.as_deref().map(read_workload).transpose()?;
        let workload = match &self.target {
            Some(target) => Some(named.unwrap_or_default().with_target(target)),
            None => named,
        };
        Ok(workload.map_or(Ok(method.clone()), |workload: Workload| method.with_workload(workload))?)
    }
}
