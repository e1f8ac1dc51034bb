//! The privacy statement of external tables.

use std::num::NonZeroU32;

use scumble_schema::{AdjacencyKind, Privacy};
use scumble_vault::{ApproxDp, Delta, Epsilon};
use serde::{Deserialize, Serialize};

use super::error::MarginalsError;
use super::tables::MAX_COUNT;

/// Maximum size of a text in bytes.
const MAX_TEXT_BYTES: usize = 4_096;

/// The privacy that the party that released external tables declares for them. It cannot be
/// verified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) epsilon: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) delta: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rho: Option<f64>,
    pub(super) adjacency: AdjacencyKind,
    pub(super) unit: String,
    #[serde(default = "one")]
    pub(super) max_contributions: NonZeroU32,
    pub(super) maker: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// The privacy loss declared for all tables together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// `(epsilon, delta)`-differential privacy.
    Approximate(ApproxDp),
    /// Zero-concentrated differential privacy.
    Concentrated {
        /// Its `rho`.
        rho: f64,
    },
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

impl Statement {
    /// The declared privacy loss of all tables together.
    pub fn loss(&self) -> Loss {
        self.declared_loss().expect("a statement is checked before it is kept")
    }

    /// The declared adjacency.
    pub fn adjacency(&self) -> AdjacencyKind {
        self.adjacency
    }

    /// Maximum number of rows that one unit contributes.
    pub fn max_contributions(&self) -> NonZeroU32 {
        self.max_contributions
    }

    /// The party or program that released the tables.
    pub fn maker(&self) -> &str {
        &self.maker
    }

    /// A remark of the maker.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Checks that the statement is complete and consistent.
    pub(super) fn check(&self) -> Result<(), MarginalsError> {
        self.declared_loss()?;
        check_text("unit", &self.unit)?;
        check_text("maker", &self.maker)?;
        self.note.as_deref().map_or(Ok(()), |note| check_text("note", note))
    }

    fn declared_loss(&self) -> Result<Loss, MarginalsError> {
        let refused = |problem: String| MarginalsError::statement(problem, "repeat what the maker's accounting says");
        match (self.epsilon, self.delta, self.rho) {
            (Some(epsilon), Some(delta), None) => {
                let epsilon = Epsilon::new(epsilon).map_err(|error| refused(format!("is refused: {error}")))?;
                let delta = Delta::new(delta).map_err(|error| refused(format!("is refused: {error}")))?;
                Ok(Loss::Approximate(ApproxDp { epsilon, delta }))
            }
            (None, None, Some(rho)) if rho > 0.0 && rho <= Epsilon::MAX.get() => Ok(Loss::Concentrated { rho }),
            (None, None, Some(_)) => Err(refused("has a `rho` that is not positive, or above 1000000".into())),
            _ => Err(MarginalsError::statement(
                "must have `epsilon` and `delta`, or `rho` alone",
                "repeat what the maker's accounting says; `delta` is 0 for pure differential privacy",
            )),
        }
    }

    /// Checks that a number of rows may be public.
    pub(super) fn check_rows(&self, rows: u64) -> Result<(), MarginalsError> {
        if self.adjacency == AdjacencyKind::AddRemove {
            return Err(MarginalsError::statement(
                "is for rows that are added or removed, but the file gives their number as public",
                "leave `rows` out, and give a noisy number as a table of no columns; or declare `adjacency: replace-one`",
            ));
        }
        if rows as f64 > MAX_COUNT {
            return Err(MarginalsError::statement("goes with more than 2^53 rows", "give the number of rows"));
        }
        Ok(())
    }

    /// Checks that the statement protects the unit that the schema declares.
    pub(super) fn check_against(&self, privacy: &Privacy) -> Result<(), MarginalsError> {
        let unit = privacy.unit.to_string();
        if (self.adjacency, self.unit.as_str(), self.max_contributions)
            == (privacy.adjacency, unit.as_str(), privacy.max_contributions)
        {
            return Ok(());
        }
        let terms = |adjacency, unit: &str, max| format!("`{adjacency}`, unit `{unit}`, at most {max} rows of one");
        Err(MarginalsError::statement(
            format!(
                "is about other neighbours ({}) than the schema ({})",
                terms(self.adjacency, &self.unit, self.max_contributions),
                terms(privacy.adjacency, &unit, privacy.max_contributions)
            ),
            "declare in `dp` of the schema what the maker protected: `adjacency`, `privacyUnit`, `maxContributions`",
        ))
    }
}

/// Checks a text that is shown within a line. Control characters could make it look like other
/// lines.
fn check_text(name: &str, text: &str) -> Result<(), MarginalsError> {
    let problem = if text.trim().is_empty() {
        "is empty"
    } else if text.len() > MAX_TEXT_BYTES {
        "is longer than 4096 bytes"
    } else if text.chars().any(char::is_control) {
        "has line breaks or other control characters"
    } else {
        return Ok(());
    };
    Err(MarginalsError::statement(format!("has a `{name}` that {problem}"), "write one line of text"))
}
