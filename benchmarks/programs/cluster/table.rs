//! The table that is counted: 15 columns of 2 to 100 values, half of the rows in the first eighth
//! of each, and half of the values as high as the ones before them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use arrow_array::{ArrayRef, RecordBatch, UInt8Array};
use arrow_schema::{DataType, Field, Schema as Columns};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use scumble::schema::Clique;
use scumble::{Input, Schema, TableWriter};
use scumble_benchmarks::{Result, cliques};

const SIZES: [u8; 15] = [2, 2, 3, 4, 5, 6, 8, 10, 13, 17, 23, 32, 45, 67, 100];
const FILE_ROWS: usize = 5_000_000;
const BATCH_ROWS: usize = 1 << 16;

/// A table in files of five million rows.
pub(crate) struct Table {
    pub(crate) millions: usize,
    pub(crate) schema: Schema,
    pub(crate) folder: PathBuf,
}

impl Table {
    /// A table of `millions` of rows, a multiple of five, written once and kept for the next run.
    pub(crate) fn of_millions(millions: usize) -> Result<Self> {
        let base = cache().join(format!("table-{millions}"));
        let files = millions * 1_000_000 / FILE_ROWS;
        if !base.is_dir() {
            let all = cache().join("files");
            fs::create_dir_all(&all)?;
            let path = |file: usize| all.join(format!("part-{file:03}.parquet"));
            thread::scope(|scope| {
                let write = |half: usize| {
                    (half..files)
                        .step_by(2)
                        .filter(|&file| !path(file).exists())
                        .try_for_each(|file| write_file(&path(file), file).map_err(|error| error.to_string()))
                };
                let halves = [0, 1].map(|half| scope.spawn(move || write(half)));
                halves.into_iter().try_for_each(|half| half.join().expect("writing does not panic"))
            })?;
            let prepared = cache().join("prepared");
            let _ = fs::remove_dir_all(&prepared);
            fs::create_dir(&prepared)?;
            for file in 0..files {
                fs::hard_link(path(file), prepared.join(format!("part-{file:03}.parquet")))?;
            }
            fs::rename(&prepared, &base)?;
        }
        Ok(Self { millions, schema: schema(""), folder: base })
    }

    pub(crate) fn inputs(&self) -> [Input; 1] {
        [Input::new(&self.folder)]
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> Result<u64> {
        fs::read_dir(&self.folder)?.map(|file| Ok(file?.metadata()?.len())).sum()
    }

    /// All pairs of columns.
    pub(crate) fn pairs(&self) -> Vec<Clique> {
        cliques::pairs(self.schema.domain())
    }
}

/// Where tables are kept between runs.
pub(crate) fn cache() -> PathBuf {
    let place = std::env::var_os("SCUMBLE_CLUSTER_DATA").map(PathBuf::from);
    place.unwrap_or_else(|| std::env::temp_dir().join("scumble-cluster-figures"))
}

pub(crate) fn schema(terms: &str) -> Schema {
    let field = |(column, size): (usize, &u8)| {
        let constraints = format!("{{minimum: 0, maximum: {}, required: true}}", size - 1);
        format!(
            "  - {{name: c{column:02}, type: integer, constraints: {constraints}, dp: {{foldInto: 0, source: public}}}}\n"
        )
    };
    let fields: String = SIZES.iter().enumerate().map(field).collect();
    Schema::parse(&format!("{terms}fields:\n{fields}")).expect("the schema is right")
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half of the bits is drawn")]
fn write_file(path: &Path, number: usize) -> Result<()> {
    let columns = (0..SIZES.len()).map(|column| Field::new(format!("c{column:02}"), DataType::UInt8, false));
    let columns = Arc::new(Columns::new(columns.collect::<Vec<_>>()));
    let mut dice = SmallRng::seed_from_u64(number as u64);
    let mut writer = TableWriter::create(path, columns.as_ref().clone().into())?;
    for start in (0..FILE_ROWS).step_by(BATCH_ROWS) {
        let rows = BATCH_ROWS.min(FILE_ROWS - start);
        let mut bits = vec![0; rows];
        let arrays = SIZES.iter().map(|&size| {
            for bits in &mut bits {
                let drawn = dice.next_u64();
                if drawn >> 63 == 0 {
                    *bits = drawn as u32;
                }
            }
            Arc::new(UInt8Array::from_iter_values(bits.iter().map(|&bits| sloped(size, bits)))) as ArrayRef
        });
        writer.write(&RecordBatch::try_new(Arc::clone(&columns), arrays.collect())?)?;
    }
    Ok(writer.finish()?)
}

/// The cube of a uniform number, cut into `size` values.
fn sloped(size: u8, bits: u32) -> u8 {
    let unit = u64::from(bits);
    let cube = (((unit * unit) >> 32) * unit) >> 32;
    u8::try_from((cube * u64::from(size)) >> 32).expect("below the size")
}
