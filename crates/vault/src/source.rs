//! Where exact counts come from.

use std::error::Error;
use std::fmt;
use std::num::NonZeroU32;

use scumble_schema::{AttributeId, Clique, Domain, Recoding, cells};

use crate::private::Private;

/// Exact counts of rows over the cells of a clique, in the order of [`scumble_schema::cells`].
///
/// Anyone may build one; only the vault reads the counts.
/// ```compile_fail,E0616
/// # use scumble_schema::Clique;
/// # use scumble_vault::CountTable;
/// let table = CountTable::new(Clique::empty(), vec![7]);
/// let peeked = table.counts;
/// ```
pub struct CountTable {
    clique: Clique,
    counts: Vec<u64>,
}

impl CountTable {
    /// The table of `counts` over `clique`, one count per cell, zero or not.
    pub fn new(clique: Clique, counts: Vec<u64>) -> Self {
        Self { clique, counts }
    }

    /// What the table ranges over.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// The exact counts; from here on this crate answers for them.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The same, taken out.
    pub(crate) fn into_counts(self) -> Vec<u64> {
        self.counts
    }

    /// How many cells were counted. It equals a public number once the vault has checked it.
    pub(crate) fn cells(&self) -> usize {
        self.counts.len()
    }

    /// The number of rows, which every table of one source has to agree on.
    pub(crate) fn rows(&self) -> u128 {
        self.counts.iter().copied().map(u128::from).sum()
    }
}

impl fmt::Debug for CountTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CountTable").field("clique", &self.clique).finish_non_exhaustive()
    }
}

/// Something that can count rows: an engine, a cluster, a test.
pub trait MarginalSource: Send {
    /// How many codes each attribute has. A public fact of the schema.
    fn domain(&self) -> &Domain;

    /// The column by which the source told units apart, and the most rows of one unit that it kept; `None` if it kept
    /// every row. A public fact of the schema.
    ///
    /// # Privacy
    /// A certificate about the units of a column is true only of such a source, so whoever opens a vault compares this with
    /// the schema. Which rows were kept must be decided within each unit: by its own rows, whatever the others are.
    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        None
    }

    /// One exact table per clique, in the order asked for.
    ///
    /// Every row falls in exactly one cell of every table, so all tables have the same sum, and [`Clique::empty`] counts
    /// the rows. The answer must be a function of the rows alone: the same whatever their order, partitions or retries.
    ///
    /// # Errors
    /// If the rows cannot be read. The text must not depend on what is in them.
    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError>;

    /// One exact table per clique of the columns of `recoding`, whose base domain is that of the source.
    ///
    /// As it is, tables over the base columns are counted and summed, which is refused where such a table would be too
    /// large: bits of many columns are few cells, the columns many. A source that sees rows does better to recode them.
    ///
    /// # Errors
    /// Those of [`MarginalSource::count`], and if a table over base columns would be too large.
    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let base = |clique: &Clique| Clique::new(clique.attributes().iter().map(|&column| recoding.of(column)));
        let bases: Vec<Clique> = cliques.iter().map(base).collect();
        for base in &bases {
            recoding.base().table_len(base).map_err(SourceError::new)?;
        }
        let tables = self.count(&bases)?.open();
        let folded = cliques.iter().zip(&tables).map(|(clique, table)| folded(recoding, clique, table));
        Ok(Private::new(folded.collect()))
    }
}

/// The table over new columns that a table over their base columns adds up to.
fn folded(recoding: &Recoding, clique: &Clique, table: &CountTable) -> CountTable {
    let (domain, base) = (recoding.domain(), recoding.base());
    let base_strides = cells::strides(base, table.clique());
    let place = |&column: &AttributeId| {
        let of = recoding.of(column);
        let position = table.clique().attributes().iter().position(|&attribute| attribute == of);
        let stride = base_strides[position.expect("every base column is in the base table")];
        (stride, base.size(of) as usize, recoding.codes(column))
    };
    let places: Vec<_> = clique.attributes().iter().map(place).zip(cells::strides(domain, clique)).collect();
    // Its length was checked before anything was counted.
    let mut counts = vec![0; clique.attributes().iter().map(|&column| domain.size(column) as usize).product()];
    for (cell, &count) in table.counts.iter().enumerate() {
        let code = |((stride, size, codes), step): &((usize, usize, &[u32]), usize)| {
            codes[cell / stride % size] as usize * step
        };
        counts[places.iter().map(code).sum::<usize>()] += count;
    }
    CountTable::new(clique.clone(), counts)
}

/// Why a source could not count.
///
/// # Privacy
/// The guarantee covers error texts: whoever builds one maps the errors of file readers and databases to sentences
/// without values, counts or row numbers first.
#[derive(Debug)]
pub struct SourceError(Box<dyn Error + Send + Sync>);

impl SourceError {
    /// An error whose text holds nothing of the data.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }

    /// The error of the source, to tell one kind from another.
    pub fn into_inner(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }

    /// The error of the source.
    pub fn get_ref(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Error for SourceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
