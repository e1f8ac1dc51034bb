//! What fits would come to, before any row is read.

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

/// How wide text is.
const WIDTH: usize = 100;
/// How far forecasts were off: `reproduce/product.sh plan time` measures it again.
const WITHIN: &str = "On the tables they were judged on, memory came within a factor 2, and time within a factor 1.5 for \
                      the recommended method and 3 for others.";

/// Forecasts of one table, for some methods and budgets.
///
/// # Privacy
/// Made of the schema, the options, the budgets and a number of rows that whoever asks vouches for. Nothing is read, and nothing is
/// spent.
#[derive(Debug, Serialize)]
pub struct Plan {
    /// The number of rows that was given.
    pub rows: NonZeroU64,
    /// How many columns the schema has.
    pub columns: usize,
    /// What fits would come to: for each method, for each epsilon.
    pub forecasts: Vec<Forecast>,
    /// What would be refused, and why.
    pub refused: Vec<Refusal>,
    /// What to do, in words.
    pub advice: Vec<String>,
    /// The machine that times are for.
    pub machine: Machine,
}

/// A fit that would be refused.
#[derive(Debug, Clone, Serialize)]
pub struct Refusal {
    /// The method.
    pub method: String,
    /// The epsilon.
    pub epsilon: Epsilon,
    /// Why.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}

impl Plan {
    /// Forecasts for each method and each goal.
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

    /// The same plan for another machine.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Self {
        self.forecasts = self.forecasts.into_iter().map(|forecast| forecast.on(machine)).collect();
        self.machine = machine;
        self
    }

    /// Expected errors against epsilon, a line for each method, as SVG.
    pub fn picture(&self) -> String {
        picture::chart(&self.forecasts).to_svg()
    }
}

impl Plan {
    /// What would be refused: a method that is refused at every epsilon for the same reason is told once.
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

/// The middle of what is expected, as ratios go.
fn middling(error: &OrderError) -> f64 {
    let Extent { least, most } = error.expected;
    (least * most).sqrt()
}

impl fmt::Display for Plan {
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
