//! Drawing of synthetic rows from a model.

use std::io;
use std::path::Path;

use arrow_array::RecordBatch;
#[cfg(feature = "cluster")]
use scumble_cluster::{Cluster, SampleOrder};
use scumble_engine::{Format, TableWriter};
use scumble_mechanisms::{Conditions, MechanismError, Model, Shares};
use scumble_pgm::Sampling;
use scumble_schema::{DecodedRows, Decoder};

use crate::error::Error;

/// Synthetic rows to draw from a model, with their options.
///
/// By default, draws the released number of rows of the model, or the expected number of rows that
/// meet the [filter](Draw::filter); with a fresh seed, and by [`Sampling::for_rows`].
///
/// ```
/// use scumble::{ApproxDp, Delta, Draw, Epsilon, Fit, Input, Method, Schema, Conditions, demo};
/// # let people = demo::people(1_000, 1);
/// # let table = Input::of_batches(people.arrow_schema().clone(), people.collect());
/// # let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;
/// # let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
/// # let model = Fit::new(&schema, goal).method(Method::named("mst")?).run(&[table])?;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("synthetic.parquet");
///
/// let drawn = Draw::from(&model).rows(500).seed(7).write(&path)?;
/// assert_eq!(drawn.rows, 500);
///
/// let women = Conditions::parse(model.schema(), ["sex=female"])?;
/// let batches = Draw::from(&model).filter(women).collect()?;
/// assert!(!batches.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Privacy
/// Post-processing of the model: drawing spends no budget, however often rows are drawn.
#[must_use = "nothing is drawn until the rows are written or collected"]
pub struct Draw<'a> {
    model: &'a Model,
    rows: Option<u64>,
    seed: Option<u64>,
    sampling: Option<Sampling>,
    filter: Option<Conditions>,
    shares: Option<Shares>,
    progress: Box<dyn FnMut(u64, u64) -> bool + 'a>,
}

/// Number of rows drawn, and the seed to draw them again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// Number of rows.
    pub rows: u64,
    /// Seed, which draws the same rows again from the same model.
    pub seed: u64,
    /// Share of the model's rows that meet the filter; 1 without a filter.
    pub share_of_model: f64,
}

impl<'a> From<&'a Model> for Draw<'a> {
    fn from(model: &'a Model) -> Self {
        Self {
            model,
            rows: None,
            seed: None,
            sampling: None,
            filter: None,
            shares: None,
            progress: Box::new(|_, _| true),
        }
    }
}

impl<'a> Draw<'a> {
    /// Sets the number of rows.
    pub fn rows(self, rows: impl Into<Option<u64>>) -> Self {
        Self { rows: rows.into(), ..self }
    }

    /// Sets the seed: the same seed and model give the same rows.
    pub fn seed(self, seed: impl Into<Option<u64>>) -> Self {
        Self { seed: seed.into(), ..self }
    }

    /// Sets the sampling method.
    pub fn sampling(self, sampling: impl Into<Option<Sampling>>) -> Self {
        Self { sampling: sampling.into(), ..self }
    }

    /// Draws only rows that meet these conditions.
    pub fn filter(self, conditions: impl Into<Option<Conditions>>) -> Self {
        Self { filter: conditions.into().filter(|conditions| !conditions.is_empty()), ..self }
    }

    /// Sets the shares of the values of one column, in place of the model's.
    pub fn rebalance(self, shares: impl Into<Option<Shares>>) -> Self {
        Self { shares: shares.into(), ..self }
    }

    /// Calls `progress` after each batch with the rows drawn so far and their total. Drawing ends
    /// with [`Error::Interrupted`] once it returns `false`.
    pub fn progress(self, progress: impl FnMut(u64, u64) -> bool + 'a) -> Self {
        Self { progress: Box::new(progress), ..self }
    }

    /// Writes the rows to a file atomically, in the format of its extension.
    pub fn write(self, path: impl AsRef<Path>) -> Result<Drawn, Error> {
        let mut writer = TableWriter::create(path.as_ref(), Decoder::new(self.model.schema()).arrow_schema().clone())?;
        let drawn = self.for_each_batch(|rows| Ok(writer.write_rows(&rows)?))?;
        writer.finish()?;
        Ok(drawn)
    }

    /// Writes the rows to standard output, as CSV.
    pub fn write_to_stdout(self) -> Result<Drawn, Error> {
        let columns = Decoder::new(self.model.schema()).arrow_schema().clone();
        let mut writer = TableWriter::into_sink(io::stdout(), "standard output", Format::Csv, columns)?;
        let drawn = self.for_each_batch(|rows| Ok(writer.write_rows(&rows)?))?;
        writer.into_inner()?;
        Ok(drawn)
    }

    /// Draws the rows into memory.
    pub fn collect(self) -> Result<Vec<RecordBatch>, Error> {
        let mut batches = Vec::new();
        self.for_each_batch(|rows| {
            batches.push(rows.batch);
            Ok(())
        })?;
        Ok(batches)
    }

    /// Draws the rows on a cluster and writes them to Parquet files in a new folder, atomically.
    /// `progress` is called with 0 rows until the folder is complete.
    ///
    /// # Errors
    /// If there is a filter or shares: executors draw from the whole model only.
    #[cfg(feature = "cluster")]
    pub fn write_on(mut self, cluster: &Cluster, folder: impl AsRef<Path>) -> Result<Drawn, Error> {
        if self.filter.is_some() || self.shares.is_some() {
            return Err(Error::WholeModelOnly);
        }
        let rows = self.rows.unwrap_or(self.model.rows());
        let (seed, sampling) = self.seed_and_sampling(rows)?;
        let order = SampleOrder { model: self.model, rows, seed, sampling, folder: folder.as_ref() };
        cluster.sample(&order, || (self.progress)(0, rows))?;
        Ok(Drawn { rows, seed, share_of_model: 1.0 })
    }

    pub(crate) fn for_each_batch(
        mut self,
        mut take: impl FnMut(DecodedRows) -> Result<(), Error>,
    ) -> Result<Drawn, Error> {
        let model = self.model;
        if self.filter.is_none() && self.shares.is_none() {
            let rows = self.rows.unwrap_or(model.rows());
            let (seed, sampling) = self.seed_and_sampling(rows)?;
            let batches = model.sample_rows(rows, seed, sampling).map(Ok);
            drain(batches, &mut |drawn| (self.progress)(drawn, rows), &mut take)?;
            return Ok(Drawn { rows, seed, share_of_model: 1.0 });
        }
        let part = model.conditioned(&self.filter.take().unwrap_or_default(), self.shares.as_ref())?;
        let rows = self.rows.or_else(|| part.expected_rows()).ok_or(Error::NoExpectedRows)?;
        let (seed, sampling) = self.seed_and_sampling(rows)?;
        drain(part.sample(rows, seed, sampling)?, &mut |drawn| (self.progress)(drawn, rows), &mut take)?;
        Ok(Drawn { rows, seed, share_of_model: part.probability() })
    }

    /// Returns the seed and the sampling method for `rows` rows. Fails if the schema does not allow
    /// that number of rows.
    fn seed_and_sampling(&self, rows: u64) -> Result<(u64, Sampling), Error> {
        check_rows(self.model, rows)?;
        Ok((self.seed.map_or_else(fresh_seed, Ok)?, self.sampling.unwrap_or_else(|| Sampling::for_rows(rows))))
    }
}

fn drain(
    batches: impl Iterator<Item = Result<DecodedRows, MechanismError>>,
    progress: &mut impl FnMut(u64) -> bool,
    take: &mut impl FnMut(DecodedRows) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut drawn = 0;
    for rows in batches {
        let rows = rows?;
        drawn += rows.batch.num_rows() as u64;
        take(rows)?;
        if !progress(drawn) {
            return Err(Error::Interrupted);
        }
    }
    Ok(())
}

/// Refuses more rows than a generated column has distinct values.
pub(crate) fn check_rows(model: &Model, rows: u64) -> Result<(), Error> {
    Ok(model.schema().check_rows(rows).map_err(MechanismError::Rows)?)
}

/// Returns a seed from the operating system, for rows that need not be drawn again.
pub fn fresh_seed() -> Result<u64, Error> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|_| Error::Entropy)?;
    Ok(u64::from_le_bytes(bytes))
}
