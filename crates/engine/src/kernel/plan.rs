//! What to count, with everything worked out from public facts before rows are touched.

use scumble_schema::{AttributeId, Clique, Domain, SchemaError, cells};

use super::counter::KernelError;
use super::cover::cover;

/// Most cells of a table whose keys have 16 bits.
pub(super) const SMALL_CELLS: usize = 1 << 16;

/// One axis of a counted table, or several neighbouring binary ones that are taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Axis {
    /// Positions among the columns of the plan: one, or up to eight binary columns, whose codes are the bits of one byte.
    pub(super) columns: Vec<usize>,
    /// The step between two codes, or between two values of the byte.
    pub(super) stride: usize,
}

impl Axis {
    /// The axes of a table over `clique`; `position` tells where the column of an attribute stands.
    fn of_table(domain: &Domain, clique: &Clique, position: impl Fn(AttributeId) -> usize) -> Vec<Self> {
        let mut axes: Vec<Self> = vec![];
        let mut last_is_binary = false;
        for (&attribute, stride) in clique.attributes().iter().zip(cells::strides(domain, clique)) {
            let is_binary = domain.size(attribute) == 2;
            match axes.last_mut() {
                // The stride of a binary axis is half of its neighbour's, as that of a bit is.
                Some(bits) if is_binary && last_is_binary && bits.columns.len() < 8 => {
                    bits.columns.push(position(attribute));
                    bits.stride = stride;
                }
                _ => axes.push(Self { columns: vec![position(attribute)], stride }),
            }
            last_is_binary = is_binary;
        }
        axes
    }
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

    /// How many axes are several binary columns.
    pub(super) fn bytes_of_bits(&self) -> usize {
        self.axes.iter().filter(|axis| axis.columns.len() > 1).count()
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
}

impl CountPlan {
    /// A plan for one table per clique of `wanted`, in that order; a clique may stand there twice.
    ///
    /// # Errors
    /// If a clique has an attribute that is not in `domain`, or a table would be too large.
    pub fn new(domain: &Domain, wanted: &[Clique]) -> Result<Self, KernelError> {
        for clique in wanted {
            if clique.attributes().last().is_some_and(|last| last.index() >= domain.len()) {
                return Err(KernelError::UnknownAttribute);
            }
            domain.table_len(clique)?;
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
        let tables = cover
            .into_iter()
            .map(|table| {
                let axes = Axis::of_table(domain, &table.clique, position);
                let cells = domain.table_len(&table.clique)?;
                Ok(CountedTable { clique: table.clique, axes, cells, serves: table.serves })
            })
            .collect::<Result<_, SchemaError>>()?;
        Ok(Self { domain: domain.clone(), wanted: wanted.to_vec(), tables, columns })
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

    pub(super) fn tables(&self) -> &[CountedTable] {
        &self.tables
    }
}
