//! Options of methods.

use clap::Args;
use scumble::Method;
use scumble::mechanisms::MechanismError;

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
}

impl MethodOptions {
    /// Returns `method` with these options.
    pub(crate) fn set(&self, method: Method) -> Result<Method, MechanismError> {
        let short = [("profile", &self.profile), ("effort", &self.effort)];
        let short = short.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)));
        let options: Vec<String> = short.chain(self.options.iter().cloned()).collect();
        method.with_options(options.iter().map(String::as_str))
    }
}
