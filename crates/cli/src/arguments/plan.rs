//! `scumble plan`

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use scumble::mechanisms::MechanismError;
use scumble::{ApproxDp, Delta, Epsilon, Method};

use super::terms::{delta, epsilon};
use super::{Overwriting, number_of_rows};

/// All methods at once.
const ALL: &str = "all";

/// Tell what a fit would ask, how noisy its tables would be and what it would cost, without reading any data
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  scumble plan --schema people.schema.yaml --rows-hint 10000 -e 1\n  \
                  scumble plan --schema people.schema.yaml --rows-hint 10000 -e 0.5 -e 1 -e 2 \\\n      \
                  --method auto --method mst --svg plan.svg")]
pub(crate) struct Plan {
    /// The schema file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// How many rows the table has, about, such as 5000 or 1e9; it is not looked up, since no data is read
    #[arg(long, value_name = "NUMBER", value_parser = some_rows)]
    pub(crate) rows_hint: NonZeroU64,
    /// The epsilon of (epsilon, delta)-differential privacy; may be given several times, and then they are compared
    #[arg(short, long, value_name = "NUMBER", value_parser = epsilon, allow_negative_numbers = true, required = true)]
    epsilon: Vec<Epsilon>,
    /// The delta that goes with it
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, default_value_t = Delta::USUAL)]
    delta: Delta,
    /// The method of fitting; `auto` without it, or `pb-pgm` if delta is 0. May be given several times, and then they are compared;
    /// `all` are all of them
    #[arg(short, long, value_name = "NAME", value_parser = PossibleValuesParser::new(Method::NAMES.into_iter().chain([ALL])))]
    method: Vec<String>,
    /// An option of the method, such as `spread=0.5`; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// A set of options of the method that belong together: short for `--option profile=NAME`
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Draw expected errors against epsilon into this SVG file; of one epsilon, also of some around it
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
}

impl Plan {
    /// The methods with their options.
    pub(crate) fn methods(&self) -> Result<Vec<Method>, MechanismError> {
        let mut methods = Vec::new();
        for name in &self.method {
            if name == ALL {
                methods.extend(Method::NAMES.into_iter().map(Method::named).collect::<Result<Vec<_>, _>>()?);
            } else {
                methods.push(Method::named(name)?);
            }
        }
        if methods.is_empty() {
            methods.extend(self.goals().first().map(|&goal| Method::recommended(goal)));
        }
        let profile = self.profile.as_ref().map(|name| format!("profile={name}"));
        let options: Vec<&str> = profile.iter().chain(&self.options).map(String::as_str).collect();
        methods.into_iter().map(|method| method.with_options(options.iter().copied())).collect()
    }

    /// What fits would have to stay within.
    pub(crate) fn goals(&self) -> Vec<ApproxDp> {
        self.epsilon.iter().map(|&epsilon| ApproxDp { epsilon, delta: self.delta }).collect()
    }

    /// The same for the picture: a line needs several points.
    pub(crate) fn drawn_goals(&self) -> Vec<ApproxDp> {
        const AROUND: [f64; 7] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
        let &[only] = &self.epsilon[..] else { return self.goals() };
        let around = AROUND.iter().filter_map(|factor| Epsilon::new(only.get() * factor).ok());
        around.map(|epsilon| ApproxDp { epsilon, delta: self.delta }).collect()
    }
}

fn some_rows(text: &str) -> Result<NonZeroU64, String> {
    number_of_rows(text)
        .and_then(|rows| NonZeroU64::new(rows).ok_or_else(|| "a table without rows needs no plan".into()))
}
