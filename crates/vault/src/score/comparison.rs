//! Figures that compare released rows with the real ones.

use scumble_planted::Mutant;
use scumble_schema::{AdjacencyKind, AttributeId, Clique, Domain, Recoding, cells};
use sha2::{Digest, Sha256};

use super::{ONE, ScoreKind, check_cells, check_clique, on_lattice, put_clique, put_number, put_numbers, refused};
use crate::account::ScoreUnits;
use crate::error::VaultError;

#[doc = include_str!("comparison.md")]
///
/// Used by [`Vault::compare`](crate::Vault::compare).
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    tables: Vec<ReleasedTable>,
    counts: Vec<WeightedCount>,
    figures: Vec<ComparedFigure>,
}

/// A figure of a [`Comparison`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComparedFigure {
    /// Mean of the errors of these tables, by their positions.
    MeanError(Vec<usize>),
    /// Largest of the errors of these tables, by their positions.
    LargestError(Vec<usize>),
    /// The weighted count at this position.
    Count(usize),
}

/// The table of released rows over a clique, in the scale of the real rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedTable {
    clique: Clique,
    /// Expected counts, in lattice units.
    expected: Vec<i64>,
    within: Option<(AttributeId, u32)>,
}

impl ReleasedTable {
    /// Creates the table of these expected counts, in the order of [`scumble_schema::cells`].
    ///
    /// # Privacy
    /// The counts must follow from released rows and a released number of rows.
    ///
    /// # Errors
    /// If a count is not a number, or is 2^48 or more in magnitude.
    pub fn new(clique: Clique, expected: &[f64]) -> Result<Self, VaultError> {
        let expected = expected.iter().map(|&count| on_lattice(KIND, count)).collect::<Result<_, _>>()?;
        Ok(Self { clique, expected, within: None })
    }

    /// Restricts the table to the cells in which `column`, one of its columns, has this code.
    #[must_use]
    pub fn within(self, column: AttributeId, code: u32) -> Self {
        Self { within: Some((column, code)), ..self }
    }

    /// Returns the columns of the table.
    pub(crate) fn clique(&self) -> &Clique {
        &self.clique
    }

    /// Returns `|T - μ|₁` over the cells of the restriction, in lattice units.
    pub(crate) fn distance(&self, domain: &Domain, counts: &[u64]) -> i128 {
        let scale = Mutant::ComparisonScaledByExactRows.is_planted().then(|| self.exact_scale(counts));
        let term = |(&count, &expected): (&u64, &i64)| {
            let expected = scale.map_or(expected.into(), |(over, under)| i128::from(expected) * over / under);
            (i128::from(count) * i128::from(ONE)).abs_diff(expected)
        };
        let cells = counts.iter().zip(&self.expected);
        let distance: u128 = match self.within {
            None => cells.map(term).sum(),
            Some((column, code)) => {
                let place = self.clique.attributes().iter().position(|&attribute| attribute == column);
                let stride = cells::strides(domain, &self.clique)[place.expect("the table has the column")];
                let (size, code) = (domain.size(column) as usize, code as usize);
                cells.enumerate().filter(|(cell, _)| cell / stride % size == code).map(|(_, cell)| term(cell)).sum()
            }
        };
        distance.cast_signed()
    }

    /// Returns the exact number of rows and the released one, for a planted bug.
    fn exact_scale(&self, counts: &[u64]) -> (i128, i128) {
        let exact: i128 = counts.iter().map(|&count| i128::from(count) * i128::from(ONE)).sum();
        let released: i128 = self.expected.iter().map(|&units| i128::from(units)).sum();
        (exact, released.max(1))
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        check_cells(KIND, &self.clique, self.expected.len(), domain)?;
        let is_cell = |&(column, code): &(AttributeId, u32)| {
            self.clique.attributes().contains(&column) && code < domain.size(column)
        };
        if self.within.iter().all(is_cell) {
            Ok(())
        } else {
            Err(refused(KIND, "a table is restricted to a code that it does not have"))
        }
    }
}

/// A weighted count of the rows of a table.
#[derive(Debug, Clone)]
pub struct WeightedCount {
    recoding: Option<Recoding>,
    clique: Clique,
    /// In lattice units.
    weights: Vec<i32>,
}

/// Largest magnitude of a weight: half a row.
const MAX_WEIGHT: i64 = ONE.cast_signed() / 2;

impl WeightedCount {
    /// Creates the count of rows, each with the weight of its cell, in the order of
    /// [`scumble_schema::cells`]. With a recoding, the clique is over its columns.
    ///
    /// # Privacy
    /// The weights and the recoding must follow from declared and released values.
    ///
    /// # Errors
    /// If a weight is not from -1/2 to 1/2.
    pub fn new(recoding: Option<Recoding>, clique: Clique, weights: &[f64]) -> Result<Self, VaultError> {
        let weight = |&weight: &f64| {
            let units = on_lattice(KIND, weight)?;
            let units = i32::try_from(units).ok().filter(|&units| i64::from(units).abs() <= MAX_WEIGHT);
            units.ok_or_else(|| refused(KIND, "a weight is not from -1/2 to 1/2"))
        };
        Ok(Self { recoding, clique, weights: weights.iter().map(weight).collect::<Result<_, _>>()? })
    }

    /// Returns the weight of a cell as it is used: rounded down to the lattice.
    pub fn weight(&self, cell: usize) -> f64 {
        f64::from(self.weights[cell]) / f64::from(1 << super::LATTICE_LOG2)
    }

    pub(crate) fn recoding(&self) -> Option<&Recoding> {
        self.recoding.as_ref()
    }

    pub(crate) fn clique(&self) -> &Clique {
        &self.clique
    }

    /// Returns the sum, in lattice units.
    pub(crate) fn value(&self, counts: &[u64]) -> i128 {
        let weigh = |(&count, &weight): (&u64, &i32)| {
            let weight = if Mutant::WeightsFollowRealRows.is_planted() && count % 2 == 1 { 0 } else { weight };
            i128::from(count) * i128::from(weight)
        };
        counts.iter().zip(&self.weights).map(weigh).sum()
    }

    fn check(&self, base: &Domain) -> Result<(), VaultError> {
        if self.recoding.as_ref().is_some_and(|recoding| recoding.base() != base) {
            return Err(refused(KIND, "a count is over the columns of another table"));
        }
        let domain = self.recoding.as_ref().map_or(base, Recoding::domain);
        check_clique(&self.clique, domain)?;
        check_cells(KIND, &self.clique, self.weights.len(), domain)
    }
}

const KIND: ScoreKind = ScoreKind::Comparison;
/// How far one added or removed row moves a figure, and one replaced row.
pub(super) const ADD_REMOVE: ScoreUnits = ScoreUnits::from_units(ONE as u128 / 2);
pub(super) const REPLACE_ONE: ScoreUnits = ScoreUnits::from_rows(1);

impl Comparison {
    /// Creates an empty comparison.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a table, and returns its position. Tables that no figure names are not counted.
    pub fn add_table(&mut self, table: ReleasedTable) -> usize {
        self.tables.push(table);
        self.tables.len() - 1
    }

    /// Adds a weighted count, and returns its position.
    pub fn add_count(&mut self, count: WeightedCount) -> usize {
        self.counts.push(count);
        self.counts.len() - 1
    }

    /// Adds a figure. Its value is at the position of the figure among all.
    pub fn add_figure(&mut self, figure: ComparedFigure) -> usize {
        self.figures.push(figure);
        self.figures.len() - 1
    }

    /// Returns the figures.
    pub fn figures(&self) -> &[ComparedFigure] {
        &self.figures
    }

    pub(crate) fn tables(&self) -> &[ReleasedTable] {
        &self.tables
    }

    pub(crate) fn counts(&self) -> &[WeightedCount] {
        &self.counts
    }

    /// Returns how far one row moves any of the figures.
    pub(crate) fn sensitivity(adjacency: AdjacencyKind) -> ScoreUnits {
        match adjacency {
            AdjacencyKind::AddRemove => ADD_REMOVE,
            AdjacencyKind::ReplaceOne => REPLACE_ONE,
        }
    }

    /// Refuses figures without tables, and tables that are not over `base`.
    pub(crate) fn check(&self, base: &Domain) -> Result<(), VaultError> {
        for figure in &self.figures {
            let exists = match figure {
                ComparedFigure::MeanError(tables) | ComparedFigure::LargestError(tables) => {
                    !tables.is_empty() && tables.iter().all(|&table| table < self.tables.len())
                }
                ComparedFigure::Count(count) => *count < self.counts.len(),
            };
            if !exists {
                return Err(refused(KIND, "a figure has no table"));
            }
        }
        self.tables.iter().try_for_each(|table| table.check(base))?;
        self.counts.iter().try_for_each(|count| count.check(base))
    }

    /// Hashes everything that the figures depend on besides the real rows.
    pub(crate) fn question(&self, digest: &mut Sha256) {
        put_number(digest, self.tables.len() as u64);
        for table in &self.tables {
            put_clique(digest, &table.clique);
            put_numbers(digest, table.expected.iter().map(|units| units.cast_unsigned()));
            let (column, code) = table.within.map_or((u64::MAX, 0), |(column, code)| (column.index() as u64, code));
            put_number(digest, column);
            put_number(digest, code.into());
        }
        put_number(digest, self.counts.len() as u64);
        for WeightedCount { recoding, clique, weights } in &self.counts {
            put_clique(digest, clique);
            let codes = |recoding: &Recoding| {
                let codes = clique.attributes().iter().flat_map(|&column| recoding.codes(column));
                codes.map(|&code| u64::from(code)).collect::<Vec<_>>()
            };
            put_numbers(digest, recoding.as_ref().map(codes).unwrap_or_default().into_iter());
            put_numbers(digest, weights.iter().map(|&weight| i64::from(weight).cast_unsigned()));
        }
        for figure in &self.figures {
            let (kind, places): (&[u8], &[usize]) = match figure {
                ComparedFigure::MeanError(tables) => (b"mean", tables),
                ComparedFigure::LargestError(tables) => (b"largest", tables),
                ComparedFigure::Count(count) => (b"count", std::slice::from_ref(count)),
            };
            digest.update(kind);
            put_numbers(digest, places.iter().map(|&place| place as u64).collect::<Vec<_>>().into_iter());
        }
    }

    /// Computes the figures from the distances of all tables and the sums of all counts.
    pub(crate) fn values(&self, distances: &[i128], sums: &[i128]) -> Vec<i128> {
        let value = |figure: &ComparedFigure| match figure {
            ComparedFigure::MeanError(tables) => {
                let sum: i128 = tables.iter().map(|&table| distances[table]).sum();
                sum.div_euclid(2 * tables.len() as i128)
            }
            ComparedFigure::LargestError(tables) => {
                tables.iter().map(|&table| distances[table]).max().unwrap_or(0).div_euclid(2)
            }
            ComparedFigure::Count(count) => sums[*count],
        };
        self.figures.iter().map(value).collect()
    }
}
