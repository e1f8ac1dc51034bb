//! A release: how its rows are drawn, and its publication metadata.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, NaiveDate};
use scumble_mechanisms::Model;
use scumble_mechanisms::quality::{Checked, Criteria};
use scumble_pgm::Sampling;
use scumble_schema::SchemaSpec;
use serde::{Deserialize, Serialize};

use super::error::BundleError;
use super::ledger::LedgerState;
use crate::draw::fresh_seed;
use crate::error::Error;

/// Maximum number of bytes of a text.
const MAX_TEXT_BYTES: usize = 4_096;
/// Default version of a release.
const FIRST_VERSION: &str = "1.0.0";

/// The inputs of a bundle besides the model: the same release and model give the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Number of rows.
    pub rows: u64,
    /// Seed of the rows. It is public, so that everyone can draw them again; the noise does not
    /// depend on it.
    #[serde(with = "number_as_text")]
    pub seed: u64,
    /// Sampling method.
    #[serde(with = "sampling_by_name")]
    pub sampling: Sampling,
    /// Date of the release.
    pub date: Date,
    /// Publication metadata.
    pub publisher: Publisher,
    /// Criteria that the rows were judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Criteria>,
    /// State of the ledger that the model was charged to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerState>,
}

/// Publication metadata. Fields that are not set have a marked placeholder in the bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Publisher {
    /// Title of the table; by default, the title of the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description of the table; by default, the description of the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Version of the release; by default 1.0.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Name of the publisher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curator: Option<String>,
    /// Licence: its short name, such as `CC-BY-4.0`, or its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Contact for questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// URL of the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Intended use of the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intended_use: Option<String>,
    /// Region that the table covers, or whose law applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
}

impl Release {
    /// Returns a release of `rows` rows with a fresh seed and no publication metadata.
    pub fn new(rows: u64, date: Date) -> Result<Self, Error> {
        let (seed, sampling) = (fresh_seed()?, Sampling::for_rows(rows));
        Ok(Self { rows, seed, sampling, date, publisher: Publisher::default(), criteria: None, ledger: None })
    }

    /// Returns a release of rows of a model. If neither their number nor their seed is given, they
    /// are the rows that its fit checked, if it did; otherwise as [`Release::new`], by default of
    /// the model's number of rows.
    pub fn of_model(model: &Model, rows: Option<u64>, seed: Option<u64>, date: Date) -> Result<Self, Error> {
        let usual = Self::new(rows.unwrap_or(model.rows()), date)?;
        // Other rows than those that the fit checked have a seed of their own.
        let checked = model.checked().filter(|_| rows.is_none() && seed.is_none());
        Ok(match checked {
            Some(checked) => {
                let sampling = checked.sampling.parse().unwrap_or_else(|_| Sampling::for_rows(checked.rows));
                Self { rows: checked.rows, seed: checked.seed, sampling, ..usual }
            }
            None => Self { seed: seed.unwrap_or(usual.seed), ..usual },
        })
    }

    /// Returns the released figures of exactly these rows, if the fit of the model checked them.
    pub fn checked(&self, model: &Model) -> Option<Checked> {
        model.checked().filter(|checked| {
            (checked.rows, checked.seed, checked.sampling.as_str()) == (self.rows, self.seed, self.sampling.name())
        })
    }

    /// Refuses mandatory criteria that these rows were not judged by, and a ledger that did not
    /// count the model.
    pub(super) fn check_model(&self, model: &Model) -> Result<(), BundleError> {
        self.check_criteria(model)?;
        self.ledger.as_ref().map_or(Ok(()), |ledger| ledger.check(model))
    }

    /// Refuses mandatory criteria that these rows were not judged by.
    fn check_criteria(&self, model: &Model) -> Result<(), BundleError> {
        let Some(criteria) = &self.criteria else { return Ok(()) };
        let checked = self.checked(model).unwrap_or_default();
        let unmeasured = criteria.unmeasured(&checked).into_iter().find(|criterion| criterion.mandatory);
        unmeasured.map_or(Ok(()), |criterion| Err(BundleError::Unmeasured { criterion: criterion.to_string() }))
    }

    /// Returns the names of the metadata that neither the publisher nor the schema of the model
    /// gives. The bundle has placeholders for them.
    pub fn left_open(&self, model: &Model) -> Vec<&'static str> {
        let SchemaSpec { title, description, .. } = model.schema().to_spec();
        let said_elsewhere = |name: &str| match name {
            "title" => title.is_some(),
            "description" => description.is_some(),
            name => name == "version",
        };
        let texts = self.publisher.texts().into_iter();
        texts.filter(|(name, text)| text.is_none() && !said_elsewhere(name)).map(|(name, _)| name).collect()
    }
}

impl Publisher {
    /// Returns all texts with their names, in the order of the fields.
    fn texts(&self) -> [(&'static str, Option<&str>); 9] {
        [
            ("title", self.title.as_deref()),
            ("description", self.description.as_deref()),
            ("version", self.version.as_deref()),
            ("curator", self.curator.as_deref()),
            ("licence", self.licence.as_deref()),
            ("contact", self.contact.as_deref()),
            ("url", self.url.as_deref()),
            ("intended use", self.intended_use.as_deref()),
            ("region", self.region.as_deref()),
        ]
    }

    /// Checks that every text is a single line. A text with line breaks could add claims to a
    /// document.
    pub(super) fn check(&self) -> Result<(), BundleError> {
        for (what, text) in self.texts() {
            let Some(text) = text else { continue };
            let problem = if text.trim().is_empty() {
                "is empty"
            } else if text.len() > MAX_TEXT_BYTES {
                "is longer than 4096 bytes"
            } else if text.chars().any(char::is_control) {
                "has line breaks or other control characters"
            } else {
                continue;
            };
            return Err(BundleError::Text { what, problem });
        }
        Ok(())
    }

    pub(super) fn version(&self) -> &str {
        self.version.as_deref().unwrap_or(FIRST_VERSION)
    }

    pub(super) fn curator(&self) -> String {
        self.curator.clone().unwrap_or_else(|| placeholder("who publishes this"))
    }
}

/// Returns a placeholder for a text that only the publisher knows.
pub(super) fn placeholder(what: &str) -> String {
    format!("[TO BE FILLED IN BY THE PUBLISHER: {what}]")
}

/// A day of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date(NaiveDate);

impl Date {
    /// Returns the UTC day of a Unix time in seconds; `None` if its year has more than four digits.
    pub fn of_unix_seconds(seconds: u64) -> Option<Self> {
        let instant = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
        instant.date_naive().to_string().parse().ok()
    }

    pub(super) fn year(self) -> i32 {
        self.0.year()
    }
}

impl FromStr for Date {
    type Err = BundleError;

    fn from_str(text: &str) -> Result<Self, BundleError> {
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        // Only one form is valid, so that a bundle is the same for the same day.
        date.filter(|date| text.len() == 10 && date.to_string() == text).map(Self).ok_or(BundleError::Date)
    }
}

impl TryFrom<String> for Date {
    type Error = BundleError;

    fn try_from(text: String) -> Result<Self, BundleError> {
        text.parse()
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

mod sampling_by_name {
    use scumble_pgm::Sampling;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(super) fn serialize<S: Serializer>(sampling: &Sampling, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(sampling.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sampling, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Serialises numbers as text: readers of JSON lose digits above 2^53, and a seed may be larger.
mod number_as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(super) fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|_| D::Error::custom("a seed is not a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_written_in_one_way() {
        assert_eq!("2026-01-05".parse::<Date>().unwrap().to_string(), "2026-01-05");
        for text in ["2026-1-5", "+2026-01-05", "2026-02-30", "12026-01-05", "05.01.2026", ""] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
        assert_eq!(Date::of_unix_seconds(1_767_571_200).unwrap().to_string(), "2026-01-05");
        assert_eq!(Date::of_unix_seconds(u64::MAX), None);
    }

    #[test]
    fn a_text_stays_on_its_line() {
        let said = |title: &str| Publisher { title: Some(title.into()), ..Publisher::default() }.check();
        assert!(said("People, 2026").is_ok());
        for text in ["", "  ", "two\nlines", "\u{7}", &"x".repeat(5_000)] {
            assert!(said(text).is_err());
        }
    }

    #[test]
    fn a_recorded_release_is_read_back() {
        let release = Release {
            rows: 10,
            seed: u64::MAX,
            sampling: Sampling::LowVariance,
            date: "2026-01-05".parse().unwrap(),
            publisher: Publisher { curator: Some("Office".into()), ..Publisher::default() },
            criteria: None,
            ledger: None,
        };
        let text = serde_json::to_string(&release).unwrap();
        assert!(text.contains(r#""seed":"18446744073709551615","sampling":"low-variance""#), "{text}");
        assert_eq!(serde_json::from_str::<Release>(&text).unwrap(), release);
    }
}
