//! What is joined already.

/// Things in parts: at first each is one of its own, and joining two makes one of theirs.
#[derive(Debug)]
pub(crate) struct Parts(Vec<usize>);

impl Parts {
    pub(crate) fn of(things: usize) -> Self {
        Self((0..things).collect())
    }

    /// Whether two things are in different parts.
    pub(crate) fn are_apart(&self, one: usize, other: usize) -> bool {
        self.0[one] != self.0[other]
    }

    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let (kept, joined) = (self.0[one], self.0[other]);
        self.0.iter_mut().filter(|part| **part == joined).for_each(|part| *part = kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_to_the_same_is_joined() {
        let mut parts = Parts::of(4);
        assert!(parts.are_apart(0, 3));
        parts.join(0, 1);
        parts.join(3, 1);
        assert!(!parts.are_apart(0, 3) && parts.are_apart(2, 3));
    }
}
