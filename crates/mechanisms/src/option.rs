//! What options of several methods have in common.

use scumble_vault::{AccountingKind, Share};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;

/// How the releases of a method with Gaussian noise are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GaussianAccounting {
    /// As Gaussian differential privacy: the same goal for less noise.
    #[default]
    Gdp,
    /// As zero-concentrated differential privacy, as the papers have it.
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

/// Shares are whole numbers of parts of one in so many.
const SHARE_UNITS: u32 = 1_000;

/// Refuses a number that is out of its range.
pub(crate) fn check(option: &str, value: f64, least: f64, most: f64) -> Result<(), MechanismError> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(MechanismError::Option { option: option.into(), problem: format!("must be between {least} and {most}") })
    }
}

/// A share of a budget, in whole thousandths.
pub(crate) fn share(option: &str, value: f64) -> Result<Share, MechanismError> {
    Ok(Share::of(thousandths(option, value)?, SHARE_UNITS).expect("between one and all but one"))
}

/// How many thousandths a share of a budget is: some, and not all.
pub(crate) fn thousandths(option: &str, value: f64) -> Result<u32, MechanismError> {
    check(option, value, 0.001, 0.999)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 999")]
    let units = (value * f64::from(SHARE_UNITS)).round() as u32;
    Ok(units)
}
