//! The tables that are counted: columns of small whole numbers, made from a fixed seed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt8Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema as Columns};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use scumble_schema::{Clique, Domain, Schema};

use crate::random::Random;
use scumble_benchmarks::Result;

/// Rows that are made at a time.
const BLOCK_ROWS: usize = 1 << 16;

/// How values are spread over a column's domain.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spread {
    /// All values are equally frequent.
    Uniform,
    /// The smaller the value the more frequent: half of the rows are in the first eighth of the
    /// domain.
    Sloped,
    /// Nine rows in ten have the value 0.
    OneValue,
}

/// A kind of table.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) sizes: Vec<u32>,
    pub(crate) spread: Spread,
}

impl Shape {
    pub(crate) fn binary() -> Self {
        Self { name: "binary", sizes: vec![2; 24], spread: Spread::Uniform }
    }

    pub(crate) fn sixteen() -> Self {
        Self { name: "16-valued", sizes: vec![16; 24], spread: Spread::Uniform }
    }

    /// 24 sizes from 2 to 100, each about a fifth larger than the one before.
    pub(crate) fn mixed() -> Self {
        let sizes = vec![2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 11, 13, 15, 18, 21, 25, 30, 36, 44, 53, 65, 80, 100];
        Self { name: "mixed", sizes, spread: Spread::Sloped }
    }

    pub(crate) fn domain(&self) -> Domain {
        Domain::new(self.sizes.clone()).expect("the sizes are small")
    }

    /// The schema of such a table: every column an integer from 0 on.
    pub(crate) fn schema(&self) -> Schema {
        let field = |(column, size): (usize, &u32)| {
            format!(
                "  - {{name: {}, type: integer, constraints: {{minimum: 0, maximum: {}, required: true}}, dp: {{foldInto: 0}}}}\n",
                column_name(column),
                size - 1
            )
        };
        let fields: String = self.sizes.iter().enumerate().map(field).collect();
        Schema::parse(&format!("fields:\n{fields}")).expect("the schema is right")
    }

    /// All pairs of columns.
    pub(crate) fn pairs(&self) -> Vec<Clique> {
        let columns: Vec<_> = self.domain().attributes().collect();
        let pairs = columns.iter().flat_map(|&a| columns.iter().filter(move |&&b| a < b).map(move |&b| [a, b]));
        pairs.map(Clique::new).collect()
    }

    /// Rows number `start .. start + rows`, column by column. Every block of rows has a seed of its
    /// own.
    pub(crate) fn rows(&self, start: usize, rows: usize) -> Vec<Vec<u8>> {
        let column = |(column, &size): (usize, &u32)| {
            let mut dice = Random::new((start as u64) << 20 | column as u64);
            (0..rows).map(|_| self.spread.draw(size, &mut dice)).collect()
        };
        self.sizes.iter().enumerate().map(column).collect()
    }

    /// Writes the table to `files` Parquet files in a new directory below `parent`, on two threads.
    pub(crate) fn write(&self, parent: &Path, rows: usize, files: usize) -> Result<PathBuf> {
        let directory = parent.join(format!("{}-{rows}", self.name));
        std::fs::create_dir(&directory)?;
        let share = rows / files;
        let write =
            |file: usize| self.write_file(&directory.join(format!("part-{file:03}.parquet")), file * share, share);
        thread::scope(|scope| {
            let halves = [0, 1].map(|half| {
                scope
                    .spawn(move || (half..files).step_by(2).try_for_each(|file| write(file).map_err(|e| e.to_string())))
            });
            halves.into_iter().try_for_each(|half| half.join().expect("writing does not panic"))
        })?;
        Ok(directory)
    }

    fn write_file(&self, path: &Path, start: usize, rows: usize) -> Result<()> {
        let columns = Arc::new(self.columns());
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer = ArrowWriter::try_new(File::create(path)?, Arc::clone(&columns), Some(properties))?;
        for block in (0..rows).step_by(BLOCK_ROWS) {
            writer.write(&self.batch(start + block, BLOCK_ROWS.min(rows - block))?)?;
        }
        writer.close()?;
        Ok(())
    }

    pub(crate) fn columns(&self) -> Columns {
        let field = |column| Field::new(column_name(column), DataType::UInt8, false);
        Columns::new((0..self.sizes.len()).map(field).collect::<Vec<_>>())
    }

    /// Rows as a batch of Arrow.
    pub(crate) fn batch(&self, start: usize, rows: usize) -> Result<RecordBatch> {
        let arrays = self.rows(start, rows).into_iter().map(|codes| Arc::new(UInt8Array::from(codes)) as ArrayRef);
        Ok(RecordBatch::try_new(Arc::new(self.columns()), arrays.collect())?)
    }
}

impl Spread {
    #[expect(clippy::cast_possible_truncation, reason = "the result is below the size, and that is at most 256")]
    fn draw(self, size: u32, dice: &mut Random) -> u8 {
        let bits = dice.next();
        let below = |bits: u64| ((bits * u64::from(size)) >> 32) as u8;
        match self {
            Self::OneValue if !bits.is_multiple_of(10) => 0,
            Self::Uniform | Self::OneValue => below(bits >> 32),
            Self::Sloped => {
                let unit = bits >> 32;
                below((((unit * unit) >> 32) * unit) >> 32)
            }
        }
    }
}

pub(crate) fn column_name(column: usize) -> String {
    format!("c{column:02}")
}
