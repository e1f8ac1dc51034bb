//! Merged values: those that tables with other columns do not distinguish.
//!
//! Which values are merged follows from the released table of their column.

use std::collections::BTreeMap;

use scumble_schema::{AttributeId, Clique, Domain, Hierarchies, Recoding, SchemaError};
use scumble_vault::{Event, NoisyTable};

use crate::error::MechanismError;

/// Maximum number of cells of the tables of edges in a tree, and again of the tables that link
/// columns to their merged versions. Columns share it evenly.
const MAX_EDGE_CELLS: usize = 10_000_000;

/// The released table of one column.
#[derive(Debug, Clone, Copy)]
struct OneWay<'a> {
    column: AttributeId,
    counts: &'a [i64],
    /// The standard deviation of the noise on each count.
    deviation: f64,
}

impl<'a> OneWay<'a> {
    /// A released table; `None` if it is not over a single column.
    fn of_table(table: &'a NoisyTable) -> Option<Self> {
        Self::of(table.clique(), table.values(), table.standard_deviation())
    }

    /// A table of a certificate: its event and its released numbers.
    fn of_event((event, counts): (&Event, &'a Vec<i64>)) -> Option<Self> {
        Self::of(event.table()?, counts, event.mechanism().standard_deviation()?)
    }

    fn of(clique: &Clique, counts: &'a [i64], deviation: f64) -> Option<Self> {
        let &[column] = clique.attributes() else { return None };
        Some(Self { column, counts, deviation })
    }
}

/// Maximum number of values that each column may have in a tree of a number of columns.
pub(crate) fn max_groups(columns: usize) -> u32 {
    u32::try_from((MAX_EDGE_CELLS / columns.max(1)).isqrt()).unwrap_or(u32::MAX)
}

/// Rule by which values are merged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Merging {
    /// Merges rare values into one.
    Rare {
        /// Values of a smaller released count are rare, in standard deviations of its noise.
        below: f64,
    },
    /// Merges neighbouring values into groups of about equally many rows.
    Neighbours {
        /// Only columns of more codes than this are merged.
        of_more_than: u32,
        /// Approximate number of groups.
        groups: u32,
    },
}

/// Returns the columns of more than one code.
pub(crate) fn non_constant_columns(domain: &Domain) -> Vec<AttributeId> {
    domain.attributes().filter(|&column| domain.size(column) > 1).collect()
}

/// Returns a table of its own for every column of more than one code.
pub(crate) fn non_constant_tables(domain: &Domain) -> Vec<Clique> {
    non_constant_columns(domain).into_iter().map(Clique::single).collect()
}

/// Adds the levels of declared hierarchies to the columns.
///
/// # Errors
/// If there are too many of them.
pub(crate) fn with_levels(base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError> {
    let too_large = |error: SchemaError| MechanismError::TooLarge {
        problem: format!("columns and the levels of their hierarchies do not fit: {error}"),
        hint: "leave out columns or levels".into(),
    };
    Recoding::identity(base).and_levels(declared.clone()).map_err(too_large)
}

/// Adds a coarser version of each column that has values to merge, or its declared levels.
///
/// # Errors
/// If a table is not one of a single column of the domain.
pub(crate) fn merged(declared: &Recoding, merging: Merging, tables: &[NoisyTable]) -> Result<Recoding, MechanismError> {
    merged_by(declared, merging, tables.iter().map(OneWay::of_table))
}

/// Recomputes the columns of a model from the releases in its file. The fit measured every
/// non-constant column first, or parities of binary columns, which have no values to merge.
///
/// # Errors
/// If no fit makes such releases.
pub(crate) fn merged_after(
    declared: &Recoding,
    merging: Merging,
    events: &[Event],
    released: &[Vec<i64>],
) -> Result<Recoding, MechanismError> {
    let columns = non_constant_columns(declared.base()).len();
    if columns < 2 || events.iter().any(|event| event.question().is_of_parities()) {
        return Ok(Recoding::identity(declared.base()));
    }
    if events.len() < columns {
        return Err(not_ours());
    }
    merged_by(declared, merging, events.iter().zip(released).take(columns).map(OneWay::of_event))
}

fn merged_by<'a>(
    declared: &Recoding,
    merging: Merging,
    tables: impl Iterator<Item = Option<OneWay<'a>>>,
) -> Result<Recoding, MechanismError> {
    let tables = tables.collect::<Option<Vec<_>>>().ok_or_else(not_ours)?;
    recoding(declared, merging, &tables).map_err(|_| not_ours())
}

fn not_ours() -> MechanismError {
    MechanismError::damaged("its first releases are not the tables of its columns")
}

fn recoding(declared: &Recoding, merging: Merging, tables: &[OneWay]) -> Result<Recoding, SchemaError> {
    let hierarchies = declared.levels();
    let versions = |table: &OneWay| {
        let max = (MAX_EDGE_CELLS / tables.len() / table.counts.len().max(1)).min(max_groups(tables.len()) as usize);
        let levels = hierarchies.iter().find(|(column, _)| *column == table.column).map(|(_, levels)| levels);
        let versions: Vec<Box<[u32]>> = match (merging, levels) {
            (Merging::Rare { below }, levels) => {
                vec![rare(table, levels.map_or(&[], Vec::as_slice), below, max)?.into()]
            }
            (Merging::Neighbours { .. }, Some(levels)) => levels.clone(),
            (Merging::Neighbours { of_more_than, groups }, None) => {
                vec![neighbours(table, of_more_than, max.min(groups as usize))?.into()]
            }
        };
        Some((table.column, versions))
    };
    Recoding::identity(declared.base()).and_levels(tables.iter().filter_map(versions))
}

/// Returns the group of every value if rare ones are merged, with at most `max` groups; `None` if
/// no two values are merged.
///
/// Rare values of one declared group become one value if that is not rare. Those that are left over
/// do so in their group of the next level, and so on. The rest is the last group.
fn rare(table: &OneWay, levels: &[Box<[u32]>], deviations: f64, max: usize) -> Option<Vec<u32>> {
    let counts = table.counts;
    let is_frequent = |values: &[usize]| {
        let held: i128 = values.iter().map(|&value| i128::from(counts[value])).sum();
        // The noise of a sum is that of one count times the root of their number.
        held as f64 >= deviations * table.deviation * (values.len() as f64).sqrt()
    };
    let (mut kept, mut rest) = (Vec::new(), Vec::new());
    for value in 0..counts.len() {
        if is_frequent(&[value]) { kept.push(vec![value]) } else { rest.push(value) }
    }
    for level in levels {
        let mut pools: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for value in rest.drain(..) {
            pools.entry(level[value]).or_default().push(value);
        }
        for pool in pools.into_values() {
            if pool.len() > 1 && is_frequent(&pool) { kept.push(pool) } else { rest.extend(pool) }
        }
    }
    if kept.len() >= max && counts.len() > max {
        // Too many groups, one of them being the rest: the most frequent ones stay.
        let held = |group: &Vec<usize>| group.iter().map(|&value| i128::from(counts[value])).sum::<i128>();
        kept.sort_by_key(|group| (std::cmp::Reverse(held(group)), group[0]));
        rest.extend(kept.drain(max.saturating_sub(1)..).flatten());
    }
    kept.sort_unstable();
    if kept.len() + usize::from(!rest.is_empty()) >= counts.len() {
        return None;
    }
    let mut groups = vec![number(kept.len()); counts.len()];
    for (group, values) in kept.into_iter().enumerate() {
        for value in values {
            groups[value] = number(group);
        }
    }
    Some(groups)
}

/// Returns the group of every value if neighbouring values are merged until a group has its share
/// of the rows; `None` if the column is not large.
fn neighbours(table: &OneWay, of_more_than: u32, groups: usize) -> Option<Vec<u32>> {
    let counts = table.counts;
    if counts.len() <= of_more_than as usize {
        return None;
    }
    let rows = |count: i64| u128::from(count.max(0).unsigned_abs());
    let all: u128 = counts.iter().map(|&count| rows(count)).sum();
    let (mut group, mut held) = (0, 0_u128);
    let mut of_value = Vec::with_capacity(counts.len());
    for &count in counts {
        of_value.push(number(group));
        held += rows(count);
        // The last group is never closed: it takes all remaining values.
        if held * groups as u128 >= all && group + 1 < groups {
            (group, held) = (group + 1, 0);
        }
    }
    Some(of_value)
}

fn number(group: usize) -> u32 {
    u32::try_from(group).expect("a column has at most 2^20 values")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups_of(counts: &[i64], max: usize) -> Option<Vec<u32>> {
        rare(&OneWay { column: AttributeId::new(0), counts, deviation: 10.0 }, &[], 3.0, max)
    }

    #[test]
    fn values_below_three_standard_deviations_become_the_last_group() {
        assert_eq!(groups_of(&[30, 29, -50, 400], 100), Some(vec![0, 2, 2, 1]));
        assert_eq!(groups_of(&[1, 2, 3], 100), Some(vec![0, 0, 0]));
    }

    #[test]
    fn one_rare_value_stays_as_it_is() {
        assert_eq!(groups_of(&[30, 29, 400], 100), None);
        assert_eq!(groups_of(&[30, 31], 100), None);
    }

    #[test]
    fn rare_values_are_merged_within_declared_groups_that_are_not_rare() {
        let levels: [Box<[u32]>; 2] = [vec![0, 0, 0, 1, 1, 2, 2].into(), vec![0, 0, 0, 0, 0, 1, 1].into()];
        let merged =
            |counts: &[i64]| rare(&OneWay { column: AttributeId::new(0), counts, deviation: 10.0 }, &levels, 3.0, 100);
        // 25 and 20 are more than three standard deviations of a sum of two; 20 and 20 are not,
        // neither by themselves nor with the rest.
        assert_eq!(merged(&[90, 25, 20, 20, 20, 0, 1]), Some(vec![0, 1, 1, 2, 2, 2, 2]));
        // Two groups that are rare by themselves are not with each other.
        assert_eq!(merged(&[90, 20, 20, 21, 20, 0, 1]), Some(vec![0, 1, 1, 1, 1, 2, 2]));
        assert_eq!(merged(&[90, 90, 90, 90, 90, 90, 1]), None);
    }

    #[test]
    fn of_too_many_values_the_most_frequent_stay() {
        assert_eq!(groups_of(&[50, 90, 50, 70, 0], 3), Some(vec![2, 0, 2, 1, 2]));
        assert_eq!(groups_of(&[50, 90, 50], 3), None);
        assert_eq!(groups_of(&[50, 90, 50], 0), Some(vec![0; 3]));
    }

    #[test]
    fn neighbours_become_groups_of_about_equally_many_rows() {
        let groups = |counts: &[i64], of_more_than, max| {
            neighbours(&OneWay { column: AttributeId::new(0), counts, deviation: 1.0 }, of_more_than, max)
        };
        assert_eq!(groups(&[5, 5, 5, 5, 5, 5], 4, 3), Some(vec![0, 0, 1, 1, 2, 2]));
        assert_eq!(groups(&[5, 5, 5, 5], 4, 3), None);
        // A frequent value is a group, negative counts count as zero, and the last values have a
        // group.
        assert_eq!(groups(&[1, 20, -9, 4, 1, -1], 4, 3), Some(vec![0, 0, 1, 1, 1, 1]));
        assert_eq!(groups(&[20, 1, 20, 1, 1, -1], 4, 3), Some(vec![0, 1, 1, 2, 2, 2]));
        assert_eq!(groups(&[0, -3, 0], 2, 2), Some(vec![0, 1, 1]));
        assert_eq!(groups(&[7, 7, 7], 2, 0), Some(vec![0; 3]));
    }

    #[test]
    fn groups_and_their_links_stay_within_the_cells() {
        assert_eq!([max_groups(1), max_groups(10), max_groups(1_000)], [3_162, 1_000, 100]);
        let counts = vec![1_000; 100_000];
        let table = |column| OneWay { column: AttributeId::new(column), counts: &counts, deviation: 1.0 };
        let base = Domain::new(vec![100_000, 100_000]).unwrap();
        let recoding =
            super::recoding(&Recoding::identity(&base), Merging::Rare { below: 3.0 }, &[table(0), table(1)]).unwrap();
        assert_eq!(recoding.domain().sizes(), [100_000, 100_000, 50, 50]);
    }
}
