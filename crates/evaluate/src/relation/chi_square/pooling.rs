//! Pooling of rare codes, until the chi-square approximation holds.

/// Minimum expected count of a cell.
const MIN_EXPECTED: u128 = 5;

/// One column of a pair: the number of real rows of each group, and whether the groups have an
/// order.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) rows: &'a [u32],
    pub(super) ordered: bool,
}

/// Groups of a column that are pooled.
struct Pool {
    rows: u32,
    groups: Vec<usize>,
}

/// Returns the pool of every group of each column, such that a test of `tested` rows expects five
/// or more in every cell if the columns are independent and have the shares of the real table.
/// `None` if even two pools per column are too small.
///
/// The rarest group is pooled first, in the column where it is rarer: with its rarer neighbour if
/// the column is ordered, else with the next rarest group. The pools depend on the real table only,
/// so that the tests of both tables answer the same question.
pub(super) fn pools(sides: [Side; 2], tested: usize) -> Option<[Vec<u8>; 2]> {
    let total: u128 = sides[0].rows.iter().map(|&rows| u128::from(rows)).sum();
    let mut pooled = sides.map(|side| -> Vec<Pool> {
        side.rows.iter().enumerate().map(|(group, &rows)| Pool { rows, groups: vec![group] }).collect()
    });
    if total == 0 || pooled.iter().any(|pools| pools.len() < 2) {
        return None;
    }
    loop {
        let rarest = [rarest(&pooled[0]), rarest(&pooled[1])];
        let [a, b] = [0, 1].map(|side| pooled[side][rarest[side]].rows);
        if u128::from(a) * u128::from(b) * tested as u128 >= MIN_EXPECTED * total * total {
            return Some([0, 1].map(|side| pool_of(&pooled[side], sides[side].rows.len())));
        }
        let rarer = usize::from(b < a);
        let side = [rarer, 1 - rarer].into_iter().find(|&side| pooled[side].len() > 2)?;
        join(&mut pooled[side], rarest[side], sides[side].ordered);
    }
}

/// Returns the pool with the fewest rows, the first of equals.
fn rarest(pools: &[Pool]) -> usize {
    (0..pools.len()).min_by_key(|&pool| pools[pool].rows).expect("there are two pools or more")
}

/// Joins a pool with its rarer neighbour, or with the next rarest pool.
fn join(pools: &mut Vec<Pool>, pool: usize, ordered: bool) {
    let is_candidate = |other: usize| other != pool && (!ordered || other.abs_diff(pool) == 1);
    let other = (0..pools.len()).filter(|&other| is_candidate(other)).min_by_key(|&other| pools[other].rows);
    let other = other.expect("there are more than two pools");
    let removed = pools.remove(pool.max(other));
    let kept = &mut pools[pool.min(other)];
    kept.rows += removed.rows;
    kept.groups.extend(removed.groups);
}

fn pool_of(pools: &[Pool], groups: usize) -> Vec<u8> {
    let mut of_group = vec![0; groups];
    for (number, pool) in (0_u8..).zip(pools) {
        pool.groups.iter().for_each(|&group| of_group[group] = number);
    }
    of_group
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(rows: &[u32], ordered: bool) -> Side<'_> {
        Side { rows, ordered }
    }

    #[test]
    fn tables_with_enough_rows_are_not_pooled() {
        // The smallest expected count is 10 * 50 / 100 = 5.
        let pooled = pools([side(&[10, 90], false), side(&[50, 50], false)], 100).unwrap();
        assert_eq!(pooled, [vec![0, 1], vec![0, 1]]);
        // Half as many rows are too few, and nothing can be pooled.
        assert_eq!(pools([side(&[10, 90], false), side(&[50, 50], false)], 50), None);
    }

    #[test]
    fn the_rarest_categories_are_pooled() {
        let pooled = pools([side(&[3, 50, 7, 40], false), side(&[50, 50], false)], 100).unwrap();
        assert_eq!(pooled[0], [0, 1, 0, 2]);
    }

    #[test]
    fn neighbours_of_an_order_are_pooled() {
        let pooled = pools([side(&[3, 50, 7, 40], true), side(&[50, 50], false)], 100).unwrap();
        assert_eq!(pooled[0], [0, 0, 1, 1]);
    }

    #[test]
    fn empty_groups_are_pooled_and_a_constant_cannot_be_tested() {
        let pooled = pools([side(&[50, 0, 50], true), side(&[50, 50], true)], 100).unwrap();
        assert_eq!(pooled[0], [0, 0, 1]);
        assert_eq!(pools([side(&[100, 0], false), side(&[50, 50], false)], 100), None);
        assert_eq!(pools([side(&[100], false), side(&[50, 50], false)], 100), None);
        assert_eq!(pools([side(&[0, 0], false), side(&[0, 0], false)], 100), None);
    }
}
