//! Random draws of an audit.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Random draws with one seed, each with a stream of its own.
#[derive(Debug, Clone, Copy)]
pub(super) enum Draw {
    /// Which control rows are auxiliary.
    Auxiliary,
    /// Members that are attacked.
    Members,
    /// Control rows that are attacked.
    Control,
    /// Synthetic rows that targets are compared with one by one.
    Neighbours,
    /// Synthetic rows from which a tree is learned.
    Tree,
    /// Tables of ratios, if there are too many.
    Tables,
}

impl Draw {
    /// Draws at most `count` of `all` places without replacement, in random order.
    pub(super) fn places(self, seed: u64, all: usize, count: usize) -> Vec<usize> {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        dice.set_stream(self as u64);
        let mut places: Vec<usize> = (0..all).collect();
        let count = count.min(all);
        for position in 0..count {
            let other = dice.random_range(position..all);
            places.swap(position, other);
        }
        places.truncate(count);
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_different_and_depend_on_seed_and_draw_alone() {
        let drawn = Draw::Members.places(7, 100, 30);
        let mut sorted = drawn.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((sorted.len(), &drawn), (30, &Draw::Members.places(7, 100, 30)));
        assert_ne!(drawn, Draw::Members.places(8, 100, 30));
        assert_ne!(drawn, Draw::Control.places(7, 100, 30));
        assert_eq!(Draw::Tree.places(1, 2, 9).len(), 2);
    }
}
