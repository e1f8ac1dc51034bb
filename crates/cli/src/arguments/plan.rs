//! Arguments of `scumble plan`.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use scumble::mechanisms::columns::LearnShare;
use scumble::{ApproxDp, Delta, Epsilon, Error, Method};

use super::learning::{LEARN_SHARE, RawTerms, learn_share};
use super::method_options::MethodOptions;
use super::quality::RowChecks;
use super::terms::{delta, epsilon};
use super::{Overwriting, TextFiles, number_of_rows};

/// Selects all methods.
const ALL: &str = "all";

/// Predict what a fit measures, how noisy its tables are and what it costs, without reading any
/// data
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  scumble plan --schema people.schema.yaml --rows-hint 10000 -e 1\n  \
                  scumble plan --schema people.schema.yaml --rows-hint 10000 -e 0.5 -e 1 -e 2 \\\n      \
                  --method auto --method mst --svg plan.svg\n  \
                  scumble plan --schema people.schema.yaml --rows-hint 10000 -e 1 --accept criteria.yaml\n  \
                  scumble plan people.csv --rows-hint 10000 -e 1 -e 2")]
pub(crate) struct Plan {
    /// Without a schema: the table, of which only the names of columns are read
    #[arg(value_name = "DATA", required_unless_present = "schema", conflicts_with = "schema")]
    pub(crate) data: Option<PathBuf>,
    /// Schema file; it may leave out what is to be learned
    #[arg(short, long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) terms: RawTerms,
    /// Share of the budget for learning columns that no schema declares: between 0 and 1, in
    /// thousandths
    #[arg(long, value_name = "NUMBER", value_parser = learn_share, default_value = LEARN_SHARE)]
    pub(crate) learn_share: LearnShare,
    /// Approximate number of rows, such as 5000 or 1e9; no data is read to count them
    #[arg(long, value_name = "NUMBER", value_parser = positive_rows)]
    pub(crate) rows_hint: NonZeroU64,
    /// Epsilon of (epsilon, delta)-differential privacy; repeat it to compare several
    #[arg(short, long, value_name = "NUMBER", value_parser = epsilon, allow_negative_numbers = true, required = true)]
    epsilon: Vec<Epsilon>,
    /// Delta of (epsilon, delta)-differential privacy
    #[arg(short, long, value_name = "NUMBER", value_parser = delta, allow_negative_numbers = true, default_value_t = Delta::DEFAULT)]
    delta: Delta,
    /// Method; by default `auto`, or `pb-pgm` if delta is 0. Repeat it to compare several; `all`
    /// compares all methods
    #[arg(short, long, value_name = "NAME", value_parser = PossibleValuesParser::new(Method::NAMES.into_iter().chain([ALL])))]
    method: Vec<String>,
    #[command(flatten)]
    pub(crate) method_options: MethodOptions,
    #[command(flatten)]
    pub(crate) checks: RowChecks,
    /// Draw expected errors against epsilon into this SVG file; for a single epsilon, values around
    /// it are added
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwriting: Overwriting,
    #[command(flatten)]
    pub(crate) text_files: TextFiles,
}

impl Plan {
    /// Returns the methods with their options.
    pub(crate) fn methods(&self) -> Result<Vec<Method>, Error> {
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
        methods.into_iter().map(|method| self.method_options.set(method)).collect()
    }

    /// Returns the privacy goals to compare.
    pub(crate) fn goals(&self) -> Vec<ApproxDp> {
        self.epsilon.iter().map(|&epsilon| ApproxDp { epsilon, delta: self.delta }).collect()
    }

    /// Returns the privacy goals of the picture, several so that they make a line.
    pub(crate) fn drawn_goals(&self) -> Vec<ApproxDp> {
        const AROUND: [f64; 7] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
        let &[only] = &self.epsilon[..] else { return self.goals() };
        let around = AROUND.iter().filter_map(|factor| Epsilon::new(only.get() * factor).ok());
        around.map(|epsilon| ApproxDp { epsilon, delta: self.delta }).collect()
    }
}

fn positive_rows(text: &str) -> Result<NonZeroU64, String> {
    number_of_rows(text)
        .and_then(|rows| NonZeroU64::new(rows).ok_or_else(|| "the number of rows must be above 0".into()))
}
