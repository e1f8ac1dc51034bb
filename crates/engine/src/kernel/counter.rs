//! Counts rows into the tables of a plan.
//!
//! Tables of up to 2^16 cells are counted in a scratch table that stays in the first-level cache while all rows of a block
//! go by. Four lanes, one for each of four neighbouring rows, keep a frequent value from waiting for itself: a processor
//! needs several cycles before it can add to what it has just stored, and without lanes a column with nine rows in ten
//! of one value counts four times slower. At the end of a block the lanes are added to the table's counts and emptied.
//!
//! Larger tables are counted in place: their increments wait for the memory anyhow.

use std::ops::Range;
use std::sync::Arc;

use scumble_schema::SchemaError;

use super::keys::{Bytes, KEY_ROWS, fill};
use super::margin::sum_out;
use super::plan::{CountPlan, CountedTable, SMALL_CELLS};

/// Rows between two emptyings of the lanes. Large enough for a table to be worth its way into the cache, and small enough
/// for the rows' codes to stay in the second level while all tables go over them. No lane can overflow: it counts at most all
/// rows of a block.
pub(crate) const BLOCK_ROWS: usize = 1 << 15;
const LANES: usize = 4;
/// From one lane to the next: room for every key of 16 bits, and a quarter of a page more. A processor takes two addresses
/// that are a whole number of pages apart for the same one when it looks for a store that a load must wait for.
const LANE: usize = SMALL_CELLS + 512;

/// Codes of one column, row by row.
#[derive(Debug, Clone, Copy)]
pub enum Codes<'a> {
    /// At most 2^8 codes.
    U8(&'a [u8]),
    /// At most 2^16 codes.
    U16(&'a [u16]),
    /// More.
    U32(&'a [u32]),
}

impl Codes<'_> {
    fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    /// The codes of some rows.
    pub(super) fn slice(self, rows: Range<usize>) -> Self {
        match self {
            Self::U8(codes) => Self::U8(&codes[rows]),
            Self::U16(codes) => Self::U16(&codes[rows]),
            Self::U32(codes) => Self::U32(&codes[rows]),
        }
    }

    fn all_below(&self, size: u32) -> bool {
        fn largest<C: Copy + Ord + Default + Into<u32>>(codes: &[C]) -> u32 {
            codes.iter().fold(C::default(), |largest, &code| largest.max(code)).into()
        }
        let largest = match self {
            Self::U8(_) if size > 0xFF => return true,
            Self::U8(codes) => largest(codes),
            Self::U16(codes) => largest(codes),
            Self::U32(codes) => largest(codes),
        };
        largest < size
    }
}

/// Why something cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A table has too many cells.
    #[error(transparent)]
    TooLarge(#[from] SchemaError),
    /// A table was asked for over an attribute that the domain does not have.
    #[error("a table was asked for over an attribute that is not in the schema")]
    UnknownAttribute,
    /// A column is missing, has another length than the others, or holds a code that its attribute does not have.
    #[error("a column of codes is not one of its attribute")]
    Codes,
    /// More than 2^64 rows.
    #[error("more rows than can be counted")]
    TooManyRows,
}

/// The counts of one table. They wait in 32 bits, which is half the memory to walk through, and go over to 64 before
/// they could overflow.
#[derive(Debug)]
struct Tally {
    recent: Vec<u32>,
    /// Empty until the first time.
    before: Vec<u64>,
}

impl Tally {
    fn settle(&mut self) {
        self.before.resize(self.recent.len(), 0);
        for (sum, recent) in self.before.iter_mut().zip(&mut self.recent) {
            // The counter's number of rows bounds the sum.
            *sum = sum.wrapping_add(u64::from(std::mem::take(recent)));
        }
    }

    fn counts(&self) -> Vec<u64> {
        let before = self.before.iter().copied().chain(std::iter::repeat(0));
        self.recent.iter().zip(before).map(|(&recent, before)| before.wrapping_add(recent.into())).collect()
    }
}

/// Rows of one batch that are handled together.
#[derive(Clone, Copy)]
struct Piece<'a> {
    columns: &'a [Codes<'a>],
    start: usize,
    rows: usize,
}

/// The running counts of a plan's tables.
#[derive(Debug)]
pub struct Counter {
    plan: Arc<CountPlan>,
    tallies: Vec<Tally>,
    rows: u64,
    recent_rows: u32,
    settle_at: u32,
    scratch: Scratch,
}

/// The lanes of the small table that is being counted, and room for keys.
#[derive(Debug)]
struct Scratch {
    /// As many cells per lane as keys of 16 bits can name, so that no key can lie outside. Pages that no key names stay
    /// untouched.
    lanes: Box<[[u16; LANE]; LANES]>,
    small: Box<[u16; KEY_ROWS]>,
    large: Box<[u32; KEY_ROWS]>,
    bytes: Vec<Bytes>,
}

impl Counter {
    /// A counter that has seen no row.
    pub fn new(plan: Arc<CountPlan>) -> Self {
        Self::settling_at(plan, u32::MAX)
    }

    /// With a lower bound of rows for the 32-bit counts, so that a test can reach it.
    fn settling_at(plan: Arc<CountPlan>, settle_at: u32) -> Self {
        fn zeros<T: Clone, const N: usize>(zero: T) -> Box<[T; N]> {
            vec![zero; N].try_into().unwrap_or_else(|_| unreachable!("the vector has N elements"))
        }
        let tallies = plan.tables().iter().map(|table| Tally { recent: vec![0; table.cells], before: vec![] });
        let tallies = tallies.collect();
        let bytes = plan.tables().iter().map(CountedTable::bytes_of_bits).max().unwrap_or(0);
        let scratch =
            Scratch { lanes: zeros([0; LANE]), small: zeros(0), large: zeros(0), bytes: vec![[0; KEY_ROWS]; bytes] };
        Self { plan, tallies, rows: 0, recent_rows: 0, settle_at, scratch }
    }

    /// Counts the rows of `batches`: for each, the codes of the [columns of the plan](CountPlan::columns), in that order.
    ///
    /// It is fastest with 32,768 rows or more at a time, in however many batches.
    pub fn add(&mut self, batches: &[Vec<Codes<'_>>]) -> Result<(), KernelError> {
        let mut pieces = vec![];
        let mut pending = 0;
        for columns in batches {
            let rows = self.check(columns)?;
            self.rows = self.rows.checked_add(rows as u64).ok_or(KernelError::TooManyRows)?;
            for start in (0..rows).step_by(KEY_ROWS) {
                let piece = Piece { columns, start, rows: KEY_ROWS.min(rows - start) };
                if pending + piece.rows > BLOCK_ROWS {
                    self.count_block(&pieces, pending);
                    pieces.clear();
                    pending = 0;
                }
                pending += piece.rows;
                pieces.push(piece);
            }
        }
        self.count_block(&pieces, pending);
        Ok(())
    }

    /// The tables that were asked for, in that order.
    pub fn finish(&self) -> Vec<Vec<u64>> {
        let mut wanted = vec![vec![]; self.plan.wanted().len()];
        for (table, tally) in self.plan.tables().iter().zip(&self.tallies) {
            let counts = tally.counts();
            for &served in &table.serves {
                wanted[served] = sum_out(self.plan.domain(), &table.clique, &counts, &self.plan.wanted()[served]);
            }
        }
        wanted
    }

    /// About how many bytes are held.
    pub fn bytes(&self) -> usize {
        let tallies = self.tallies.iter().map(|tally| 4 * tally.recent.capacity() + 8 * tally.before.capacity());
        tallies.sum::<usize>() + size_of_val(&*self.scratch.lanes)
    }

    /// The number of rows of a batch whose columns are as the plan needs them.
    fn check(&self, columns: &[Codes<'_>]) -> Result<usize, KernelError> {
        let attributes = self.plan.columns();
        let rows = columns.first().ok_or(KernelError::Codes)?.len();
        let fits = |(codes, &attribute): (&Codes<'_>, _)| {
            codes.len() == rows && codes.all_below(self.plan.domain().size(attribute))
        };
        let all_fit = columns.len() == attributes.len() && columns.iter().zip(attributes).all(fits);
        if all_fit { Ok(rows) } else { Err(KernelError::Codes) }
    }

    fn count_block(&mut self, pieces: &[Piece<'_>], rows: usize) {
        let rows = u32::try_from(rows).expect("a block has at most BLOCK_ROWS rows");
        if self.settle_at - self.recent_rows < rows {
            self.tallies.iter_mut().for_each(Tally::settle);
            self.recent_rows = 0;
        }
        self.recent_rows += rows;
        for (table, tally) in self.plan.tables().iter().zip(&mut self.tallies) {
            if table.is_small() {
                self.scratch.count_small(table, pieces, &mut tally.recent);
            } else {
                self.scratch.count_large(table, pieces, &mut tally.recent);
            }
        }
    }
}

impl Scratch {
    fn count_small(&mut self, table: &CountedTable, pieces: &[Piece<'_>], counts: &mut [u32]) {
        for piece in pieces {
            let keys = &mut self.small[..piece.rows];
            fill(keys, &mut self.bytes, &table.axes, piece.columns, piece.start);
            let (fours, rest) = keys.as_chunks::<LANES>();
            for keys in fours {
                for (lane, &key) in self.lanes.iter_mut().zip(keys) {
                    lane[usize::from(key)] = lane[usize::from(key)].wrapping_add(1);
                }
            }
            for &key in rest {
                self.lanes[0][usize::from(key)] = self.lanes[0][usize::from(key)].wrapping_add(1);
            }
        }
        let [a, b, c, d] = &mut *self.lanes;
        let lanes = a.iter_mut().zip(b).zip(c).zip(d);
        for (count, (((a, b), c), d)) in counts.iter_mut().zip(lanes) {
            // A cell has at most all rows of the block, so the sum fits 16 bits.
            let sum = a.wrapping_add(*b).wrapping_add(*c).wrapping_add(*d);
            *count = count.wrapping_add(sum.into());
            (*a, *b, *c, *d) = (0, 0, 0, 0);
        }
    }

    fn count_large(&mut self, table: &CountedTable, pieces: &[Piece<'_>], counts: &mut [u32]) {
        for piece in pieces {
            let keys = &mut self.large[..piece.rows];
            fill(keys, &mut self.bytes, &table.axes, piece.columns, piece.start);
            for &key in &*keys {
                let count = &mut counts[key as usize];
                *count = count.wrapping_add(1);
            }
        }
    }
}
