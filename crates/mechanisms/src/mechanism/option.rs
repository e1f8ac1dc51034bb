//! Options that several methods share, and checks of their values.

use scumble_schema::{Domain, similar};
use scumble_vault::{AccountingKind, Share};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;

/// Accounting of a method with Gaussian noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GaussianAccounting {
    /// Gaussian differential privacy: reaches the same goal with less noise.
    #[default]
    Gdp,
    /// Zero-concentrated differential privacy, as in the papers.
    Zcdp,
}

impl From<GaussianAccounting> for AccountingKind {
    fn from(accounting: GaussianAccounting) -> Self {
        match accounting {
            GaussianAccounting::Gdp => Self::Gdp,
            GaussianAccounting::Zcdp => Self::Zcdp,
        }
    }
}

/// Shares are whole thousandths.
const SHARE_UNITS: u32 = 1_000;

/// Refuses a number outside of a range.
pub(crate) fn check(option: &str, value: f64, min: f64, max: f64) -> Result<(), MechanismError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(invalid(option, format!("must be between {min} and {max}")))
}

/// Returns the error of an option with an invalid value.
pub(crate) fn invalid(option: &str, problem: impl Into<String>) -> MechanismError {
    MechanismError::Option { option: option.into(), problem: problem.into() }
}

/// Returns which of some names was likely meant, to be added to a message; nothing if none is near.
pub(crate) fn meant<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    similar(typed, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// Refuses a domain of more than `max` columns; `limited` is what limits them.
pub(crate) fn check_column_count(base: &Domain, max: usize, limited: &str, hint: &str) -> Result<(), MechanismError> {
    if base.len() <= max {
        return Ok(());
    }
    let problem = format!("there are {} columns, at most {max} can be {limited}", base.len());
    Err(MechanismError::TooLarge { problem, hint: hint.into() })
}

/// Converts a number to a share of a budget, in whole thousandths.
pub(crate) fn share(option: &str, value: f64) -> Result<Share, MechanismError> {
    Ok(Share::of(thousandths(option, value)?, SHARE_UNITS).expect("between one and all but one"))
}

/// Converts a share of a budget to thousandths, from 1 to 999.
pub(crate) fn thousandths(option: &str, value: f64) -> Result<u32, MechanismError> {
    check(option, value, 0.001, 0.999)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 999")]
    let units = (value * f64::from(SHARE_UNITS)).round() as u32;
    Ok(units)
}
