//! Facts about mutants, and which one is enabled.

use crate::Mutant;

/// Facts about a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Name in `SCUMBLE_PLANTED_BUG`.
    pub name: &'static str,
    /// Crate or module in which it is planted.
    pub room: &'static str,
    /// Description of the bug, as a sentence.
    pub mistake: &'static str,
    /// Test that fails while it is enabled.
    pub caught_by: CaughtBy,
}

/// A test, as arguments of `cargo test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaughtBy {
    /// Package.
    pub package: &'static str,
    /// Name of the test target; `lib` for unit tests.
    pub target: &'static str,
    /// Full name of the test.
    pub test: &'static str,
}

impl Mutant {
    /// Returns whether this bug is enabled.
    #[cfg(not(feature = "planted-bugs"))]
    #[inline]
    pub const fn is_planted(self) -> bool {
        false
    }

    /// Returns whether this bug is enabled.
    #[cfg(feature = "planted-bugs")]
    #[inline]
    pub fn is_planted(self) -> bool {
        alive::mutant() == Some(self)
    }
}

#[cfg(feature = "planted-bugs")]
mod alive {
    use std::sync::LazyLock;

    use crate::Mutant;

    /// The enabled mutant, from the environment. Panics on an unknown name: otherwise the mutation
    /// gate would report a mutant as missed that was never planted.
    #[expect(clippy::print_stderr, reason = "a program with a planted bug must report it")]
    static ALIVE: LazyLock<Option<Mutant>> = LazyLock::new(|| {
        let name = std::env::var("SCUMBLE_PLANTED_BUG").ok()?;
        let mutant = Mutant::ALL.into_iter().find(|mutant| mutant.facts().name == name);
        let mutant = mutant.unwrap_or_else(|| panic!("SCUMBLE_PLANTED_BUG names no planted bug: {name}"));
        eprintln!("NOT PRIVATE: the bug `{name}` is planted in this process");
        Some(mutant)
    });

    pub(super) fn mutant() -> Option<Mutant> {
        *ALIVE
    }
}
