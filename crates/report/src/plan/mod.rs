//! Forecasts of fits, before any row is read.

mod advice;
mod comparison;
mod details;
mod number;
mod picture;

use std::fmt;
use std::num::NonZeroU64;

use scumble_mechanisms::forecast::{Extent, Forecast, Machine, OrderError};
use scumble_mechanisms::{MechanismError, Method};
use scumble_schema::Schema;
use scumble_vault::{ApproxDp, Epsilon};
use serde::Serialize;

pub(crate) use self::number::seconds;
use crate::words::wrapped;

/// Width of lines of text, in characters.
const WIDTH: usize = 100;
/// Accuracy of the forecasts. `reproduce/product.sh plan time` measures it.
const WITHIN: &str = "On the tables they were judged on, memory came within a factor 2, and time within a factor 1.5 for \
                      the recommended method and 3 for others.";

/// Forecasts of fits to one table, for several methods and budgets.
///
/// # Privacy
/// Depends on the schema, the options, the budgets and a number of rows that the user gives. No
/// data is read, and no budget is spent.
#[derive(Debug, Serialize)]
pub struct FitPlan {
    /// Number of rows, as given.
    pub rows: NonZeroU64,
    /// Number of columns of the schema.
    pub columns: usize,
    /// Forecasts, by method and then by epsilon.
    pub forecasts: Vec<Forecast>,
    /// Fits that would be refused.
    pub refused: Vec<Refusal>,
    /// Advice, in words.
    pub advice: Vec<String>,
    /// Machine for which times are forecast.
    pub machine: Machine,
}

/// A fit that would be refused.
#[derive(Debug, Clone, Serialize)]
pub struct Refusal {
    /// The method.
    pub method: String,
    /// The epsilon.
    pub epsilon: Epsilon,
    /// Reason of the refusal.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}

impl FitPlan {
    /// Forecasts a fit for each method and each goal.
    ///
    /// # Errors
    /// If all of them would be refused: the reason for the first.
    pub fn new(
        schema: &Schema,
        methods: &[Method],
        goals: &[ApproxDp],
        rows: NonZeroU64,
    ) -> Result<Self, MechanismError> {
        let (mut forecasts, mut refused, mut first) = (Vec::new(), Vec::new(), None);
        for method in methods {
            for &goal in goals {
                match Forecast::new(schema, method, goal, rows) {
                    Ok(forecast) => forecasts.push(forecast),
                    Err(error) => {
                        refused.push(Refusal {
                            method: method.name().into(),
                            epsilon: goal.epsilon,
                            problem: error.to_string(),
                            hint: error.hint().into(),
                        });
                        first.get_or_insert(error);
                    }
                }
            }
        }
        if let (true, Some(error)) = (forecasts.is_empty(), first) {
            return Err(error);
        }
        let advice = advice::advice(schema, &forecasts);
        let columns = schema.attributes().len();
        Ok(Self { rows, columns, forecasts, refused, advice, machine: Machine::REFERENCE })
    }

    /// Converts the plan to another machine.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Self {
        self.forecasts = self.forecasts.into_iter().map(|forecast| forecast.on(machine)).collect();
        self.machine = machine;
        self
    }

    /// Draws expected errors against epsilon, with a line for each method, as SVG.
    pub fn picture(&self) -> String {
        picture::chart(&self.forecasts).to_svg()
    }

    /// Writes the refusals, once for each method and reason.
    fn write_refused(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, refusal) in self.refused.iter().enumerate() {
            let same = |other: &&Refusal| (&other.method, &other.problem) == (&refusal.method, &refusal.problem);
            if self.refused[..place].iter().any(|other| same(&other)) {
                continue;
            }
            let epsilons = self.refused.iter().filter(same).map(|other| number::shortest(other.epsilon.get()));
            let epsilons = epsilons.collect::<Vec<_>>().join(", ");
            let text = format!("{} at epsilon {epsilons} would be refused: {}", refusal.method, refusal.problem);
            writeln!(formatter, "\n{}", wrapped(&text, WIDTH, 2))?;
            writeln!(formatter, "  {}", wrapped(&refusal.hint, WIDTH, 2))?;
        }
        Ok(())
    }
}

/// Returns the geometric middle of the expected range.
fn middling(error: &OrderError) -> f64 {
    let Extent { least, most } = error.expected;
    (least * most).sqrt()
}

impl fmt::Display for FitPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.forecasts[..] {
            [forecast] => details::write(formatter, forecast)?,
            several => comparison::write(formatter, several, self.rows)?,
        }
        self.write_refused(formatter)?;
        writeln!(formatter, "\nadvice")?;
        for advice in &self.advice {
            writeln!(formatter, "- {}", wrapped(advice, WIDTH, 2))?;
        }
        let machine = if self.machine == Machine::REFERENCE {
            "the machine they were measured on"
        } else {
            "this machine, whose speed was measured just now"
        };
        let cost = format!("No data was read and nothing was spent. Times are processor time on {machine}. {WITHIN}");
        write!(formatter, "\n{}", wrapped(&cost, WIDTH, 0))
    }
}
