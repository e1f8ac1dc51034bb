//! Connected components.

/// Connected components of a number of items.
#[derive(Debug)]
pub(crate) struct UnionFind(Vec<usize>);

impl UnionFind {
    /// Items of which no two are connected.
    pub(crate) fn new(items: usize) -> Self {
        Self((0..items).collect())
    }

    /// Returns whether two items are connected, directly or through others.
    pub(crate) fn connected(&self, one: usize, other: usize) -> bool {
        self.0[one] == self.0[other]
    }

    /// Connects two items.
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
        let mut items = UnionFind::new(4);
        assert!(!items.connected(0, 3));
        items.connect(0, 1);
        items.connect(3, 1);
        assert!(items.connected(0, 3) && !items.connected(2, 3));
    }
}
