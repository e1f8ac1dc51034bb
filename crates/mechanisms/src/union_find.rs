//! Connected things.

/// Which of a number of things are connected, directly or through others.
#[derive(Debug)]
pub(crate) struct UnionFind(Vec<usize>);

impl UnionFind {
    /// Things that are not connected.
    pub(crate) fn new(things: usize) -> Self {
        Self((0..things).collect())
    }

    pub(crate) fn connected(&self, one: usize, other: usize) -> bool {
        self.0[one] == self.0[other]
    }

    pub(crate) fn connect(&mut self, one: usize, other: usize) {
        let (kept, joined) = (self.0[one], self.0[other]);
        self.0.iter_mut().filter(|root| **root == joined).for_each(|root| *root = kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_lead_through_others() {
        let mut things = UnionFind::new(4);
        assert!(!things.connected(0, 3));
        things.connect(0, 1);
        things.connect(3, 1);
        assert!(things.connected(0, 3) && !things.connected(2, 3));
    }
}
