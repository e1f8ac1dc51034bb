//! Sources of exact counts.

use std::error::Error;
use std::fmt;
use std::num::NonZeroU32;

use scumble_schema::{AttributeId, Clique, Domain, Recoding, cells};

use crate::private::Private;
use crate::vault::ValueSink;

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
    /// Creates the table of `counts` over `clique`, with one count per cell, zeros included.
    pub fn new(clique: Clique, counts: Vec<u64>) -> Self {
        Self { clique, counts }
    }

    /// Returns the attributes of the table.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// Returns the exact counts. From here on this crate is responsible for keeping them private.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the exact counts by value.
    pub(crate) fn into_counts(self) -> Vec<u64> {
        self.counts
    }

    /// Returns the number of cells. It is public once the vault has checked it against the domain.
    pub(crate) fn cells(&self) -> usize {
        self.counts.len()
    }

    /// Returns the number of rows, which is the same for every table of one source.
    pub(crate) fn rows(&self) -> u128 {
        self.counts.iter().copied().map(u128::from).sum()
    }
}

impl fmt::Debug for CountTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CountTable").field("clique", &self.clique).finish_non_exhaustive()
    }
}

/// A source of exact counts: an engine, a cluster, a test.
pub trait MarginalSource: Send {
    /// Returns the number of codes of each attribute. A public fact of the schema.
    fn domain(&self) -> &Domain;

    /// Returns the column that identifies units, and the number of rows that the source kept per
    /// unit; `None` if it kept every row. A public fact of the schema.
    ///
    /// # Privacy
    /// A certificate about the units of a column is true only of a source that bounds them, so the
    /// code that opens a vault compares this with the schema. Which rows of a unit are kept may
    /// depend on that unit's rows only.
    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        None
    }

    /// Counts one exact table per clique, in the order of `cliques`.
    ///
    /// Every row falls in exactly one cell of every table, so all tables have the same sum, and
    /// [`Clique::empty`] counts the rows. The answer must be a function of the rows alone,
    /// independent of their order, partitions and retries.
    ///
    /// # Errors
    /// If the rows cannot be read. The text must not depend on their values.
    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError>;

    /// Counts one exact table per clique of recoded columns. The base domain of `recoding` is that
    /// of the source.
    ///
    /// The default implementation counts tables over the base columns and sums them. It fails where
    /// a base table is too large: a few bits of many columns have few cells, the columns themselves
    /// many. A source that sees rows should recode them instead.
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

/// A source of the values present in columns that no schema describes.
pub trait ValueSource: Send {
    /// As [`MarginalSource::bound`].
    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        None
    }

    /// Adds every value present in each of `columns` to `sink`, once, with its number of rows, in
    /// any order. The set of values and their counts must be a function of the rows alone.
    ///
    /// # Errors
    /// If the rows cannot be read. The text must not depend on their values.
    fn count_values(&self, columns: &[&str], sink: &mut ValueSink<'_>) -> Result<(), SourceError>;
}

/// Sums a table over base columns to the table over the recoded columns of `clique`.
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
    // The length was checked before anything was counted.
    let mut counts = vec![0; clique.attributes().iter().map(|&column| domain.size(column) as usize).product()];
    for (cell, &count) in table.counts.iter().enumerate() {
        let code = |((stride, size, codes), step): &((usize, usize, &[u32]), usize)| {
            codes[cell / stride % size] as usize * step
        };
        counts[places.iter().map(code).sum::<usize>()] += count;
    }
    CountTable::new(clique.clone(), counts)
}

/// An error of a source.
///
/// # Privacy
/// The guarantee covers error texts. Map the errors of file readers and databases to texts without
/// values, counts or row numbers before creating one.
#[derive(Debug)]
pub struct SourceError(Box<dyn Error + Send + Sync>);

impl SourceError {
    /// Creates an error. The text of `cause` must hold nothing of the data.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }

    /// Returns the cause by value, for downcasting.
    pub fn into_inner(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }

    /// Returns the cause.
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
