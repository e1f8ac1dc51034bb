//! Sets of columns that programs count.

use scumble_schema::{Clique, Domain};

/// All pairs of columns.
pub fn pairs(domain: &Domain) -> Vec<Clique> {
    let columns: Vec<_> = domain.attributes().collect();
    let pairs =
        columns.iter().enumerate().flat_map(|(place, &one)| columns[..place].iter().map(move |&other| [one, other]));
    pairs.map(Clique::new).collect()
}
