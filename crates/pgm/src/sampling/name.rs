//! Names of the ways to sample, as files and command lines have them.

use std::fmt;
use std::str::FromStr;

use super::Sampling;

impl Sampling {
    /// Every way to sample.
    pub const ALL: [Self; 3] = [Self::Matched, Self::LowVariance, Self::Independent];

    /// The name in files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::LowVariance => "low-variance",
            Self::Independent => "independent",
        }
    }
}

/// A name that no way to sample has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown sampling `{0}`: use matched, low-variance or independent")]
pub struct UnknownSampling(String);

impl FromStr for Sampling {
    type Err = UnknownSampling;

    fn from_str(name: &str) -> Result<Self, UnknownSampling> {
        Self::ALL.into_iter().find(|sampling| sampling.name() == name).ok_or_else(|| UnknownSampling(name.to_owned()))
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
