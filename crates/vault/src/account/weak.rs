//! Warnings about goals that guarantee little.

use std::fmt;

use serde::{Serialize, Serializer};

use super::unit::{ApproxDp, Delta, Epsilon};

impl Epsilon {
    /// Values above this are reported as weak: one unit may change the probability of an outcome by
    /// a factor of 22,000.
    pub const REASONABLE: Self = Self::constant(10.0);
}

impl Delta {
    /// Values above this are reported as weak: one unit in ten thousand may be exposed outright.
    pub const REASONABLE: Self = Self::constant(1e-4);
    /// Default value: far below one over the number of people in any table.
    pub const DEFAULT: Self = Self::constant(1e-9);
}

/// A weakness of a goal. Serialized as the text of `Display`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum WeakTerm {
    /// The epsilon is above [`Epsilon::REASONABLE`].
    Epsilon(Epsilon),
    /// The delta is above [`Delta::REASONABLE`].
    Delta(Delta),
    /// The delta is at least one over the number of rows.
    DeltaForRows {
        /// The delta.
        delta: Delta,
        /// Number of rows, which is public or released.
        rows: u64,
    },
}

impl ApproxDp {
    /// Returns the weaknesses of this goal, for a table of `rows` rows if that number is known.
    ///
    /// ```
    /// use scumble_vault::{ApproxDp, Delta, Epsilon};
    ///
    /// let terms = |epsilon, delta| Ok::<_, scumble_vault::VaultError>(ApproxDp { epsilon: Epsilon::new(epsilon)?, delta: Delta::new(delta)? });
    /// assert!(terms(10.0, 1e-9)?.weaknesses(Some(1_000_000)).is_empty());
    /// assert_eq!(terms(11.0, 1e-3)?.weaknesses(None).len(), 2);
    /// assert_eq!(terms(1.0, 1e-5)?.weaknesses(Some(100_000)).len(), 1);
    /// # Ok::<(), scumble_vault::VaultError>(())
    /// ```
    ///
    /// # Privacy
    /// `rows` must be public or released: the result depends on it.
    pub fn weaknesses(self, rows: Option<u64>) -> Vec<WeakTerm> {
        let Self { epsilon, delta } = self;
        let mut found = Vec::new();
        if epsilon > Epsilon::REASONABLE {
            found.push(WeakTerm::Epsilon(epsilon));
        }
        if delta > Delta::REASONABLE {
            found.push(WeakTerm::Delta(delta));
        }
        #[expect(clippy::cast_precision_loss, reason = "a row more or less in 2^53 does not matter")]
        let exposes_a_row = |rows: &u64| *rows > 0 && delta.get() * *rows as f64 >= 1.0;
        found.extend(rows.filter(exposes_a_row).map(|rows| WeakTerm::DeltaForRows { delta, rows }));
        found
    }
}

impl fmt::Display for WeakTerm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Epsilon(epsilon) => write!(
                formatter,
                "epsilon {epsilon} is above {}: what is released may depend strongly on the rows of one person",
                Epsilon::REASONABLE
            ),
            Self::Delta(delta) => write!(
                formatter,
                "delta {delta} is above {}: that would allow to publish some rows outright",
                Delta::REASONABLE
            ),
            Self::DeltaForRows { delta, rows } => write!(
                formatter,
                "delta {delta} is at least one over the number of rows, {rows}: that would allow to publish a row outright"
            ),
        }
    }
}

impl Serialize for WeakTerm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
