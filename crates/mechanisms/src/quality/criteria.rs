//! Criteria that released rows must meet.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::figure::Figure;
use super::{Checked, CheckedFigure, digits_of};
use crate::error::MechanismError;

/// Criteria that released rows must meet, agreed upon before anything is released.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criteria {
    /// Probability with which each bound must hold, given the noise of its figure: from 0.5 to
    /// 0.9999.
    #[serde(default = "usual_confidence")]
    pub confidence: f64,
    /// The criteria.
    pub criteria: Vec<Criterion>,
}

fn usual_confidence() -> f64 {
    0.95
}

/// A figure and its bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "CriterionFields", into = "CriterionFields")]
pub struct Criterion {
    /// The figure.
    pub figure: Figure,
    /// The bound on its value.
    pub bound: Bound,
    /// Whether rows that do not meet it are refused.
    pub mandatory: bool,
}

/// A bound on a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// The value is at most this; that of a difference, whatever its sign.
    AtMost(f64),
    /// The value is at least this.
    AtLeast(f64),
}

/// A criterion in a file: the fields of its figure, its bound, and whether it is mandatory.
type CriterionFields = Map<String, Value>;

impl TryFrom<CriterionFields> for Criterion {
    type Error = String;

    fn try_from(mut fields: CriterionFields) -> Result<Self, String> {
        let mut number = |name: &str| match fields.remove(name) {
            Some(value) => value.as_f64().map(Some).ok_or_else(|| format!("`{name}` is not a number")),
            None => Ok(None),
        };
        let bound = match (number(AT_MOST)?, number(AT_LEAST)?) {
            (Some(most), None) => Bound::AtMost(most),
            (None, Some(least)) => Bound::AtLeast(least),
            _ => return Err(format!("a criterion has either `{AT_MOST}` or `{AT_LEAST}`")),
        };
        let mandatory = match fields.remove(MANDATORY) {
            Some(value) => value.as_bool().ok_or_else(|| format!("`{MANDATORY}` is not true or false"))?,
            None => true,
        };
        // What is left belongs to the figure, which refuses fields that it does not know.
        let figure = serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
        Ok(Self { figure, bound, mandatory })
    }
}

impl From<Criterion> for CriterionFields {
    fn from(Criterion { figure, bound, mandatory }: Criterion) -> Self {
        let figure = serde_json::to_value(figure).expect("a figure is text and numbers");
        let mut fields = figure.as_object().cloned().unwrap_or_default();
        let (name, bound) = match bound {
            Bound::AtMost(most) => (AT_MOST, most),
            Bound::AtLeast(least) => (AT_LEAST, least),
        };
        fields.insert(name.into(), bound.into());
        if !mandatory {
            fields.insert(MANDATORY.into(), false.into());
        }
        fields
    }
}

const AT_MOST: &str = "atMost";
const AT_LEAST: &str = "atLeast";
const MANDATORY: &str = "mandatory";

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(most) => write!(formatter, "at most {most}"),
            Self::AtLeast(least) => write!(formatter, "at least {least}"),
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, {}", self.figure, self.bound)
    }
}

/// Whether a criterion is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// With the required confidence.
    Met,
    /// The bound does not hold, with the same confidence.
    Missed,
    /// The noise of the figure is too large to say. Rows are not accepted on it.
    Undecided,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::Undecided => "undecided",
        })
    }
}

/// A criterion with its released figure.
#[derive(Debug, Clone, Serialize)]
pub struct Judged {
    /// The criterion.
    #[serde(flatten)]
    pub criterion: Criterion,
    /// Its figure.
    pub measured: CheckedFigure,
    /// Whether it is met.
    pub outcome: Outcome,
    /// By how much the released value misses the bound, with the margin for noise; zero if it is
    /// met.
    pub missed_by: f64,
}

impl Judged {
    /// Returns whether rows are refused because of it.
    pub fn refuses(&self) -> bool {
        self.criterion.mandatory && self.outcome != Outcome::Met
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}, {}", self.outcome, self.measured, self.criterion.bound)?;
        if self.outcome != Outcome::Met {
            let (missed_by, digits) = (self.missed_by, digits_of(self.measured.half_width));
            write!(formatter, " (short by {missed_by:.digits$} with the margin for noise)")?;
        }
        if self.criterion.mandatory { Ok(()) } else { formatter.write_str(", not mandatory") }
    }
}

impl Criterion {
    /// Returns by how much a value meets the bound; negative if it does not.
    fn room(&self, value: f64) -> f64 {
        match self.bound {
            Bound::AtMost(most) if self.figure.is_difference() => most - value.abs(),
            // Noise makes an error negative that is nearly zero.
            Bound::AtMost(most) => most - value,
            Bound::AtLeast(least) => value - least,
        }
    }

    fn is_about(&self, measured: &CheckedFigure) -> bool {
        match (&self.figure, &measured.figure) {
            (Figure::Rules { columns }, Figure::Rules { .. }) if columns.is_empty() => true,
            (asked, measured) => asked == measured,
        }
    }
}

impl Criteria {
    /// Refuses a confidence out of range, and a list without criteria.
    ///
    /// # Errors
    /// As it says.
    pub fn check(&self) -> Result<(), MechanismError> {
        if !(0.5..=0.9999).contains(&self.confidence) {
            return Err(MechanismError::Criteria { problem: "the confidence is not from 0.5 to 0.9999".into() });
        }
        if self.criteria.is_empty() {
            return Err(MechanismError::Criteria { problem: "there are no criteria".into() });
        }
        for Criterion { figure, bound, .. } in &self.criteria {
            let problem = match *bound {
                bound if figure.is_error() != matches!(bound, Bound::AtMost(_)) => "is in the wrong direction",
                Bound::AtMost(most) if most < 0.0 => "is below zero",
                Bound::AtLeast(least) if !(0.0..=1.0).contains(&least) => "is not from 0 to 1",
                _ => continue,
            };
            return Err(MechanismError::Criteria { problem: format!("the bound on the {figure} {problem}") });
        }
        Ok(())
    }

    /// Returns the figures of the criteria.
    pub fn figures(&self) -> Vec<Figure> {
        self.criteria.iter().map(|criterion| criterion.figure.clone()).collect()
    }

    /// Returns the one-sided margin for noise, in standard deviations.
    pub fn margin(&self) -> f64 {
        normal_quantile(self.confidence)
    }

    /// Returns the criteria whose figure was not measured.
    pub fn unmeasured(&self, checked: &Checked) -> Vec<&Criterion> {
        let is_measured = |criterion: &&Criterion| checked.figures.iter().any(|measured| criterion.is_about(measured));
        self.criteria.iter().filter(|criterion| !is_measured(criterion)).collect()
    }

    /// Returns, in words, the mandatory criteria that are not met, or whose figure was not
    /// measured. Rows are accepted if there are none.
    pub fn refusals(&self, checked: &Checked) -> Vec<String> {
        let judged = self.judge(checked);
        let unmet = judged.iter().filter(|judged| judged.refuses()).map(ToString::to_string);
        let unmeasured = self.unmeasured(checked).into_iter().filter(|criterion| criterion.mandatory);
        unmet.chain(unmeasured.map(|criterion| format!("not measured: {criterion}"))).collect()
    }

    /// Compares released figures with the criteria. A criterion about all rules is one for each
    /// rule. Criteria whose figure was not measured are left out: see [`Criteria::unmeasured`].
    ///
    /// # Privacy
    /// Post-processing of released figures.
    pub fn judge(&self, checked: &Checked) -> Vec<Judged> {
        let mut judged = Vec::new();
        for criterion in &self.criteria {
            for measured in checked.figures.iter().filter(|measured| criterion.is_about(measured)) {
                let (room, margin) = (criterion.room(measured.value), self.margin() * measured.deviation);
                let outcome = match () {
                    () if room >= margin => Outcome::Met,
                    () if room < -margin => Outcome::Missed,
                    () => Outcome::Undecided,
                };
                judged.push(Judged {
                    criterion: criterion.clone(),
                    measured: measured.clone(),
                    outcome,
                    missed_by: (margin - room).max(0.0),
                });
            }
        }
        judged
    }
}

/// Returns the quantile of the standard normal distribution, by bisection on its distribution
/// function.
fn normal_quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (-10.0_f64, 10.0_f64);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        let below = 0.5 * libm::erfc(-middle / std::f64::consts::SQRT_2);
        if below < probability { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (probability, quantile) in [(0.5, 0.0), (0.95, 1.644_853_6), (0.975, 1.959_964), (0.999, 3.090_232)] {
            assert!((normal_quantile(probability) - quantile).abs() < 1e-6);
        }
    }
}
