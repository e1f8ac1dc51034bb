//! What to count, with everything worked out from public facts before rows are touched.

use scumble_schema::{AttributeId, Clique, Domain, SchemaError, cells};

use super::counter::KernelError;
use super::cover::{GROUP, cover};

/// Most cells of a table whose keys have 16 bits.
pub(super) const SMALL_CELLS: usize = 1 << 16;

/// One axis of a counted table: codes, and the step between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) source: Source,
    pub(super) stride: usize,
}

/// Where the codes of an axis come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A column of the plan, by its position.
    Column(usize),
    /// Bytes of several binary columns, by their position among those of the plan.
    Bits(usize),
}

/// Most binary columns whose codes fit one byte.
const BITS: usize = 8;

/// The axes of a table over `clique`, with neighbouring binary columns taken together. `position` tells where the column of
/// an attribute stands; `bytes` collects the columns of each byte, and those of one byte stand there once.
fn axes(
    domain: &Domain,
    clique: &Clique,
    position: impl Fn(AttributeId) -> usize,
    bytes: &mut Vec<Vec<usize>>,
) -> Vec<Axis> {
    let mut axes = vec![];
    let strides = cells::strides(domain, clique);
    let mut rest = clique.attributes();
    let is_binary = |attribute: &AttributeId| domain.size(*attribute) == 2;
    while let [first, ..] = rest {
        let start = clique.len() - rest.len();
        let bits = rest.iter().take_while(|attribute| is_binary(attribute)).count();
        // Runs of bits are cut where the groups of the cover are, so that tables share their bytes.
        let length = if bits <= BITS { bits } else { GROUP };
        if length > 1 {
            let columns: Vec<usize> = rest[..length].iter().map(|&attribute| position(attribute)).collect();
            let byte = bytes.iter().position(|byte| *byte == columns).unwrap_or_else(|| {
                bytes.push(columns);
                bytes.len() - 1
            });
            // The stride of a binary column is half of the one before, as that of a bit is.
            axes.push(Axis { source: Source::Bits(byte), stride: strides[start + length - 1] });
            rest = &rest[length..];
        } else {
            axes.push(Axis { source: Source::Column(position(*first)), stride: strides[start] });
            rest = &rest[1..];
        }
    }
    axes
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
    tables: Vec<CountedTable>,
    columns: Vec<AttributeId>,
    /// For each byte that is put together of binary columns, their positions among the columns.
    bytes: Vec<Vec<usize>>,
}

impl CountPlan {
    /// A plan for one table per clique of `wanted`, in that order; a clique may stand there twice.
    ///
    /// # Errors
    /// If a clique has an attribute that is not in `domain`, or a table would be too large.
    pub fn new(domain: &Domain, wanted: &[Clique]) -> Result<Self, KernelError> {
        for clique in wanted {
            table_len(domain, clique)?;
        }
        let cover = cover(domain, wanted);
        let mut columns: Vec<AttributeId> = cover.iter().flat_map(|table| table.clique.attributes()).copied().collect();
        if columns.is_empty() {
            // Some column must tell the number of rows.
            columns.extend(domain.attributes().next());
        }
        columns.sort_unstable();
        columns.dedup();
        let position = |attribute| columns.binary_search(&attribute).expect("all attributes of the cover are columns");
        let mut bytes = vec![];
        let tables = cover
            .into_iter()
            .map(|table| {
                let axes = axes(domain, &table.clique, position, &mut bytes);
                let cells = domain.table_len(&table.clique)?;
                Ok(CountedTable { clique: table.clique, axes, cells, serves: table.serves })
            })
            .collect::<Result<_, SchemaError>>()?;
        Ok(Self { domain: domain.clone(), wanted: wanted.to_vec(), tables, columns, bytes })
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

    /// How many cells each wanted table has.
    pub fn wanted_lengths(&self) -> impl Iterator<Item = usize> + '_ {
        let length =
            |clique| self.domain.table_len(clique).expect("the plan was made of tables that are not too large");
        self.wanted.iter().map(length)
    }

    pub(super) fn bytes(&self) -> &[Vec<usize>] {
        &self.bytes
    }

    pub(super) fn tables(&self) -> &[CountedTable] {
        &self.tables
    }
}
