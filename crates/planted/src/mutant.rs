//! What is known of a mutant, and whether it is alive.

use crate::Mutant;

/// What is known of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Its name in `SCUMBLE_PLANTED_BUG`.
    pub name: &'static str,
    /// The room in which it is planted.
    pub room: &'static str,
    /// The mistake, as a sentence.
    pub mistake: &'static str,
    /// The test that fails while it is alive.
    pub caught_by: CaughtBy,
}

/// A test, by where `cargo test` finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaughtBy {
    /// The package.
    pub package: &'static str,
    /// The name of the test target; `lib` for unit tests.
    pub target: &'static str,
    /// The test's whole name.
    pub test: &'static str,
}

impl Mutant {
    /// Whether this mistake is to be made.
    #[cfg(not(feature = "planted-bugs"))]
    #[inline]
    pub const fn is_planted(self) -> bool {
        false
    }

    /// Whether this mistake is to be made.
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

    /// The one mutant of this process, from its environment. A name that is none ends the process: a gate that plants
    /// nothing would report that nothing was caught for the wrong reason.
    #[expect(clippy::print_stderr, reason = "whoever runs a program with a planted bug has to see it")]
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
