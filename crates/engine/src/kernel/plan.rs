//! What to count, with everything worked out from public facts before rows are touched.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use scumble_schema::{AttributeId, Clique, Domain, SchemaError, cells};

use super::counter::KernelError;
use super::cover::cover;

/// Most cells of a table whose keys have 16 bits.
pub(super) const SMALL_CELLS: usize = 1 << 16;

/// One axis of a counted table: codes, and the step between two of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) source: Source,
    pub(super) stride: usize,
}

/// Where the codes of an axis come from. Columns are named by their position among those of the plan.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    Column(usize),
    /// Bytes of several binary columns.
    Bits(Vec<usize>),
    /// The same, put together once for several tables; by their position among such bytes.
    SharedBits(usize),
}

/// Most binary columns whose codes fit one byte.
const BITS: usize = 8;
/// Most bytes that are put together once for several tables. Those of a block of rows take 40 KiB each; more would not stay
/// in the second-level cache, where to find them is hardly cheaper than to put them together again.
const SHARED: usize = 32;

/// The axes of a table over `clique`, with neighbouring binary columns taken together. `position` tells where the column of
/// an attribute stands.
fn axes(domain: &Domain, clique: &Clique, position: impl Fn(AttributeId) -> usize, shared_bits: usize) -> Vec<Axis> {
    let mut axes = vec![];
    let strides = cells::strides(domain, clique);
    let mut rest = clique.attributes();
    let is_binary = |attribute: &AttributeId| domain.size(*attribute) == 2;
    while let [first, ..] = rest {
        let start = clique.len() - rest.len();
        let bits = rest.iter().take_while(|attribute| is_binary(attribute)).count();
        // Runs of bits are cut where the groups of the cover are, so that tables share their bytes.
        let length = if bits <= BITS { bits } else { shared_bits };
        if length > 1 {
            let columns = rest[..length].iter().map(|&attribute| position(attribute)).collect();
            // The stride of a binary column is half of the one before, as that of a bit is.
            axes.push(Axis { source: Source::Bits(columns), stride: strides[start + length - 1] });
            rest = &rest[length..];
        } else {
            axes.push(Axis { source: Source::Column(position(*first)), stride: strides[start] });
            rest = &rest[1..];
        }
    }
    axes
}

/// The bytes that most tables have in common. What stands for them in the axes of the tables becomes a reference.
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

/// How many cells the table over `clique` has, if it is one of `domain` and not too large.
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
    /// The wanted cliques that are summed out of this table, by their positions.
    pub(super) serves: Vec<usize>,
}

impl CountedTable {
    pub(super) fn is_small(&self) -> bool {
        self.cells <= SMALL_CELLS
    }

    /// The binary columns of each byte that is put together for this table alone.
    pub(super) fn own_bytes(&self) -> impl Iterator<Item = &[usize]> {
        self.axes.iter().filter_map(|axis| match &axis.source {
            Source::Bits(columns) => Some(columns.as_slice()),
            Source::Column(_) | Source::SharedBits(_) => None,
        })
    }
}

/// How to count all tables of a question in one pass over the rows.
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
    wanted: Vec<Clique>,
    /// Where each wanted table ends in the list of all counts.
    ends: Vec<usize>,
    tables: Vec<CountedTable>,
    columns: Vec<AttributeId>,
    /// For each byte that is put together of binary columns for several tables, their positions among the columns.
    shared_bytes: Vec<Vec<usize>>,
}

impl CountPlan {
    /// A plan for one table per clique of `wanted`, in that order; a clique may stand there twice.
    ///
    /// # Errors
    /// If a clique has an attribute that is not in `domain`, or a table would be too large.
    pub fn new(domain: &Domain, wanted: &[Clique]) -> Result<Self, KernelError> {
        let mut ends = Vec::with_capacity(wanted.len());
        for clique in wanted {
            ends.push(ends.last().unwrap_or(&0) + table_len(domain, clique)?);
        }
        let cover = cover(domain, wanted);
        let attributes = cover.tables.iter().flat_map(|table| table.clique.attributes());
        let mut columns: Vec<AttributeId> = attributes.copied().collect();
        if columns.is_empty() {
            // Some column must tell the number of rows.
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
        Ok(Self { domain: domain.clone(), wanted: wanted.to_vec(), ends, tables, columns, shared_bytes })
    }

    /// How many codes each attribute has.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The cliques that were asked for.
    pub fn wanted(&self) -> &[Clique] {
        &self.wanted
    }

    /// The attributes whose codes are read, ascending. At least one, if the domain has any.
    pub fn columns(&self) -> &[AttributeId] {
        &self.columns
    }

    /// How many tables a row is counted into, to serve all that were asked for.
    pub fn counted_tables(&self) -> usize {
        self.tables.len()
    }

    /// How many cells all wanted tables have together.
    pub fn wanted_cells(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Where a wanted table stands in the list of all counts, one table behind the other.
    pub(super) fn place(&self, wanted: usize) -> Range<usize> {
        let start = if wanted == 0 { 0 } else { self.ends[wanted - 1] };
        start..self.ends[wanted]
    }

    /// The wanted tables, out of the list of all counts.
    pub(crate) fn split(&self, counts: &[u64]) -> Vec<Vec<u64>> {
        (0..self.wanted.len()).map(|wanted| counts[self.place(wanted)].to_vec()).collect()
    }

    /// How many cells rows are counted into.
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
