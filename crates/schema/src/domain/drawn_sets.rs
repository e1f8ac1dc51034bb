//! Sets of columns whose tables are compared.

use std::collections::BTreeSet;

use super::clique::{AttributeId, Clique};
use super::numpy::NumpyDice;

/// Seed with which published comparisons draw their sets.
const SEED: u32 = 20_210_811;

/// Draws the sets of published comparisons on tables of `columns` columns: all sets of `order`
/// columns, or `count` of them, drawn with a fixed seed, if there are more. Empty if `order` is
/// above the number of columns.
pub fn drawn_sets(columns: usize, order: usize, count: usize) -> Vec<Clique> {
    match number_of_sets(columns, order) {
        _ if order > columns => Vec::new(),
        Some(all) if all as usize <= count => all_sets(columns, order),
        _ => some_sets(columns, order, count),
    }
}

/// Returns all sets of `order` of `columns` columns.
fn all_sets(columns: usize, order: usize) -> Vec<Clique> {
    let mut sets = vec![Vec::new()];
    for _ in 0..order {
        let next = |set: &Vec<usize>| set.last().map_or(0, |last| last + 1)..columns;
        let longer = |set: Vec<usize>| next(&set).map(move |column| [&set[..], &[column]].concat());
        sets = sets.into_iter().flat_map(longer).collect();
    }
    sets.into_iter().map(|set| Clique::new(set.into_iter().map(AttributeId::new))).collect()
}

/// Draws `count` different sets. There must be more.
fn some_sets(columns: usize, order: usize, count: usize) -> Vec<Clique> {
    const WHY: &str = "a table has at most limits::COLUMNS columns";
    let (columns, order) = (u32::try_from(columns).expect(WHY), u32::try_from(order).expect(WHY));
    let mut dice = NumpyDice::new(&[SEED, columns, order]);
    let mut sets = BTreeSet::new();
    while sets.len() < count {
        sets.insert(dice.choose(columns, order));
    }
    sets.into_iter().map(|set| Clique::new(set.into_iter().map(|column| AttributeId::new(column as usize)))).collect()
}

/// Returns the number of sets of `order` of `columns` columns; `None` if it is 2^32 or more.
fn number_of_sets(columns: usize, order: usize) -> Option<u32> {
    let order = order.min(columns.checked_sub(order)?);
    let mut sets: u128 = 1;
    for chosen in 0..order {
        // A product of n consecutive numbers is divisible by n.
        sets = sets * (columns - chosen) as u128 / (chosen as u128 + 1);
        // At most half of the columns are chosen, so the number grows at each step.
        u32::try_from(sets).ok()?;
    }
    u32::try_from(sets).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_an_order_are_counted() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|order| number_of_sets(4, order)),
            [Some(1), Some(4), Some(6), Some(4), Some(1), None]
        );
        assert_eq!(number_of_sets(15, 3), Some(455));
        assert_eq!(number_of_sets(110, 5), Some(122_391_522));
        assert_eq!(number_of_sets(1000, 5), None);
    }
}
