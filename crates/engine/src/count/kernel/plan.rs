//! The plan of a count, computed from public facts before rows are read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use scumble_schema::{AttributeId, Clique, Domain, SchemaError, cells};

use super::counter::KernelError;
use super::cover::{Cover, cover, cover_to_send};
use super::margin::sum_out;

/// Maximum cells of a table with 16-bit keys.
pub(super) const SMALL_CELLS: usize = 1 << 16;

/// One axis of a counted table: the source of its codes, and its stride.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) source: Source,
    pub(super) stride: usize,
}

/// Source of the codes of an axis. Columns are given by their position in the plan.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    Column(usize),
    /// Bits of several binary columns.
    Bits(Vec<usize>),
    /// A byte that is packed once for several tables, by its position among such bytes.
    SharedBits(usize),
}

/// Maximum number of binary columns in one byte.
const BITS: usize = 8;
/// Maximum number of bytes that are packed once for several tables. Those of a block of rows take
/// 40 KiB each; more would not stay in the second-level cache, and reading them from beyond is
/// hardly cheaper than packing them again.
const SHARED: usize = 32;

/// Returns the axes of a table over `clique`, with neighbouring binary columns packed together.
/// `position` returns the position of an attribute's column.
fn axes(domain: &Domain, clique: &Clique, position: impl Fn(AttributeId) -> usize, shared_bits: usize) -> Vec<Axis> {
    let mut axes = vec![];
    let strides = cells::strides(domain, clique);
    let mut rest = clique.attributes();
    let is_binary = |attribute: &AttributeId| domain.size(*attribute) == 2;
    while let [first, ..] = rest {
        let start = clique.len() - rest.len();
        let bits = rest.iter().take_while(|attribute| is_binary(attribute)).count();
        // Long runs of bits are cut at the groups of the cover, so that tables share their bytes.
        let length = if bits <= BITS { bits } else { shared_bits };
        if length > 1 {
            let columns = rest[..length].iter().map(|&attribute| position(attribute)).collect();
            // Each binary column has half the stride of the one before, like bits of a number.
            axes.push(Axis { source: Source::Bits(columns), stride: strides[start + length - 1] });
            rest = &rest[length..];
        } else {
            axes.push(Axis { source: Source::Column(position(*first)), stride: strides[start] });
            rest = &rest[1..];
        }
    }
    axes
}

/// Returns the bytes that most tables have in common, and replaces them in the axes by references.
fn share_bytes(tables: &mut [CountedTable]) -> Vec<Vec<usize>> {
    let mut uses: BTreeMap<&Vec<usize>, usize> = BTreeMap::new();
    for axis in tables.iter().flat_map(|table| &table.axes) {
        if let Source::Bits(columns) = &axis.source {
            *uses.entry(columns).or_default() += 1;
        }
    }
    let mut shared: Vec<(&Vec<usize>, usize)> = uses.into_iter().filter(|&(_, uses)| uses > 1).collect();
    shared.sort_by_key(|&(_, uses)| Reverse(uses));
    let shared: Vec<Vec<usize>> = shared.into_iter().take(SHARED).map(|(columns, _)| columns.clone()).collect();
    let places: BTreeMap<&Vec<usize>, usize> = shared.iter().zip(0..).collect();
    for axis in tables.iter_mut().flat_map(|table| &mut table.axes) {
        if let Source::Bits(columns) = &axis.source
            && let Some(&place) = places.get(columns)
        {
            axis.source = Source::SharedBits(place);
        }
    }
    shared
}

/// Number of cells of the table over `clique`, if it is in `domain` and not too large.
pub(crate) fn table_len(domain: &Domain, clique: &Clique) -> Result<usize, KernelError> {
    if clique.attributes().last().is_some_and(|last| last.index() >= domain.len()) {
        return Err(KernelError::UnknownAttribute);
    }
    Ok(domain.table_len(clique)?)
}

/// A table that is counted row by row.
#[derive(Debug)]
pub(super) struct CountedTable {
    pub(super) clique: Clique,
    pub(super) axes: Vec<Axis>,
    pub(super) cells: usize,
    /// Positions of the requested cliques that are summed from this table.
    pub(super) serves: Vec<usize>,
}

impl CountedTable {
    pub(super) fn is_small(&self) -> bool {
        self.cells <= SMALL_CELLS
    }

    /// The binary columns of each byte that is packed for this table alone.
    pub(super) fn own_bytes(&self) -> impl Iterator<Item = &[usize]> {
        self.axes.iter().filter_map(|axis| match &axis.source {
            Source::Bits(columns) => Some(columns.as_slice()),
            Source::Column(_) | Source::SharedBits(_) => None,
        })
    }
}

/// How to count all tables of a query in one pass over the rows.
///
/// ```
/// use scumble_engine::kernel::{Codes, CountPlan, Counter};
/// use scumble_schema::{AttributeId, Clique, Domain};
///
/// let domain = Domain::new(vec![2, 3])?;
/// let both = Clique::new(domain.attributes());
/// let plan = CountPlan::new(&domain, &[both, Clique::single(AttributeId::new(1))])?;
/// let mut counter = Counter::new(plan.into());
/// counter.add(&[vec![Codes::U8(&[0, 1, 1, 1]), Codes::U8(&[2, 0, 0, 1])]])?;
/// assert_eq!(counter.finish(), [vec![0, 0, 1, 2, 1, 0], vec![2, 1, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CountPlan {
    domain: Domain,
    cliques: Vec<Clique>,
    /// End of each requested table in the list of all counts.
    ends: Vec<usize>,
    tables: Vec<CountedTable>,
    columns: Vec<AttributeId>,
    /// For each byte that is packed from binary columns for several tables, the positions of these
    /// columns.
    shared_bytes: Vec<Vec<usize>>,
}

impl CountPlan {
    /// Plans one table per clique, in that order; cliques may repeat.
    ///
    /// # Errors
    /// If a clique has an attribute that is not in `domain`, or a table would be too large.
    pub fn new(domain: &Domain, cliques: &[Clique]) -> Result<Self, KernelError> {
        Self::of_cover(domain, cliques, cover)
    }

    /// Plans to count tables with few cells, for a database that sends every cell.
    pub(crate) fn to_send(domain: &Domain, cliques: &[Clique]) -> Result<Self, KernelError> {
        Self::of_cover(domain, cliques, cover_to_send)
    }

    fn of_cover(
        domain: &Domain,
        cliques: &[Clique],
        cover: impl FnOnce(&Domain, &[Clique]) -> Cover,
    ) -> Result<Self, KernelError> {
        let mut ends = Vec::with_capacity(cliques.len());
        for clique in cliques {
            ends.push(ends.last().unwrap_or(&0) + table_len(domain, clique)?);
        }
        let cover = cover(domain, cliques);
        let attributes = cover.tables.iter().flat_map(|table| table.clique.attributes());
        let mut columns: Vec<AttributeId> = attributes.copied().collect();
        if columns.is_empty() {
            // Some column must provide the number of rows.
            columns.extend(domain.attributes().next());
        }
        columns.sort_unstable();
        columns.dedup();
        let position = |attribute| columns.binary_search(&attribute).expect("all attributes of the cover are columns");
        let mut tables = cover
            .tables
            .into_iter()
            .map(|table| {
                let axes = axes(domain, &table.clique, position, cover.shared_bits);
                let cells = domain.table_len(&table.clique)?;
                Ok(CountedTable { clique: table.clique, axes, cells, serves: table.serves })
            })
            .collect::<Result<Vec<_>, SchemaError>>()?;
        let shared_bytes = share_bytes(&mut tables);
        Ok(Self { domain: domain.clone(), cliques: cliques.to_vec(), ends, tables, columns, shared_bytes })
    }

    /// Number of codes of each attribute.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The requested cliques.
    pub fn cliques(&self) -> &[Clique] {
        &self.cliques
    }

    /// The attributes whose codes are read, ascending. At least one, if the domain has any.
    pub fn columns(&self) -> &[AttributeId] {
        &self.columns
    }

    /// Number of tables that each row is counted into.
    pub fn counted_tables(&self) -> usize {
        self.tables.len()
    }

    /// Total number of cells of the requested tables.
    pub fn output_cells(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Range of a requested table in the list of all counts.
    fn place(&self, table: usize) -> Range<usize> {
        let start = if table == 0 { 0 } else { self.ends[table - 1] };
        start..self.ends[table]
    }

    /// Splits the list of all counts into the requested tables.
    pub(crate) fn split(&self, counts: &[u64]) -> Vec<Vec<u64>> {
        (0..self.cliques.len()).map(|table| counts[self.place(table)].to_vec()).collect()
    }

    /// The tables that are counted, with their numbers of cells.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (&Clique, usize)> {
        self.tables.iter().map(|table| (&table.clique, table.cells))
    }

    /// Sums the counts of all requested tables, one table after another, from those of the counted
    /// tables.
    pub(crate) fn summed(&self, counted: impl IntoIterator<Item = Vec<u64>>) -> Vec<u64> {
        let mut all = vec![0; self.output_cells()];
        for (table, counts) in self.tables.iter().zip(counted) {
            let requested = table.serves.iter().map(|&served| (self.cliques[served].attributes(), served));
            let mut put = |served, counts: &[u64]| all[self.place(served)].copy_from_slice(counts);
            sum_out(&self.domain, table.clique.attributes(), &counts, requested.collect(), &mut put);
        }
        all
    }

    /// Total number of cells of the counted tables.
    pub(crate) fn counted_cells(&self) -> usize {
        self.tables.iter().map(|table| table.cells).sum()
    }

    pub(super) fn shared_bytes(&self) -> &[Vec<usize>] {
        &self.shared_bytes
    }

    pub(super) fn tables(&self) -> &[CountedTable] {
        &self.tables
    }
}
