//! Values that may leave the vault.

use std::ops::Deref;

use crate::account::EventId;

/// A value that was paid for from the budget, or is public by definition.
///
/// Dereferences to the value. Code outside the vault learns about rows only through `Released`
/// values, so whatever it computes is post-processing.
///
/// # Privacy
/// Only the vault makes one. Forging does not compile:
/// ```compile_fail,E0451
/// use scumble_vault::Released;
/// let forged = Released { content: 42_u64, events: Vec::new() };
/// ```
/// ```compile_fail,E0624
/// use scumble_vault::Released;
/// let forged = Released::new(42_u64, Vec::new());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released<T> {
    content: T,
    events: Vec<EventId>,
}

impl<T> Released<T> {
    pub(crate) fn new(content: T, events: Vec<EventId>) -> Self {
        Self { content, events }
    }

    /// Returns the events that paid for the value; none if it is public.
    pub fn events(&self) -> &[EventId] {
        &self.events
    }

    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.content
    }

    /// Applies post-processing. The result is covered by the same events.
    pub fn map<U>(self, post_process: impl FnOnce(T) -> U) -> Released<U> {
        Released { content: post_process(self.content), events: self.events }
    }
}

impl<T> Deref for Released<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}
