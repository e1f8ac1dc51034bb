//! Counts rows into the tables of a plan.
//!
//! Tables of up to 2^16 cells are counted in a scratch table that stays in the first-level cache
//! while all rows of a block are counted. Four lanes, one for each of four neighbouring rows, avoid
//! a store-to-load stall: a processor needs several cycles before it can add to a value that it has
//! just stored. Without lanes, a column with 90 % equal values counts four times slower. At the end
//! of a block the lanes are added to the table's counts and reset.
//!
//! Larger tables are counted in place: their increments wait for memory anyway.

use std::ops::Range;
use std::sync::Arc;

use scumble_schema::{CodeWidth, SchemaError};

use super::keys::{KEY_ROWS, fill, pack_bits};
use super::plan::{CountPlan, CountedTable, SMALL_CELLS, Source};

/// Rows between two resets of the lanes: five batches of DataFusion. Large enough to amortise
/// loading a table into the cache, and small enough for the rows' codes to stay in the second-level
/// cache while all tables read them. Neither a lane nor the sum of all lanes can overflow: they
/// count the rows of one block, and 16 bits hold 65,535.
pub(crate) const BLOCK_ROWS: usize = 5 << 13;
const LANES: usize = 4;
/// Distance between two lanes: room for every 16-bit key, plus a quarter of a page. Addresses that
/// differ by a whole number of pages alias when the processor checks whether a load depends on an
/// earlier store.
const LANE: usize = SMALL_CELLS + 512;

/// Codes of one column, row by row, in the narrowest width that holds all codes of its attribute.
#[derive(Debug, Clone, Copy)]
pub enum Codes<'a> {
    /// At most 2^8 codes.
    U8(&'a [u8]),
    /// At most 2^16 codes.
    U16(&'a [u16]),
    /// More than 2^16 codes.
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

    fn width(&self) -> CodeWidth {
        match self {
            Self::U8(_) => CodeWidth::U8,
            Self::U16(_) => CodeWidth::U16,
            Self::U32(_) => CodeWidth::U32,
        }
    }

    /// Returns the codes of a range of rows.
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

/// Why rows cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A table has too many cells.
    #[error(transparent)]
    TooLarge(#[from] SchemaError),
    /// A table was requested over an attribute that the domain does not have.
    #[error("a table was requested over an attribute that is not in the schema")]
    UnknownAttribute,
    /// A column is missing, has the wrong length or width, or holds a code outside its attribute.
    #[error("a column of codes does not fit its attribute")]
    Codes,
    /// More than 2^64 rows.
    #[error("more rows than can be counted")]
    TooManyRows,
}

/// The counts of one table. They accumulate in 32 bits, which halves the memory traffic, and are
/// flushed to 64 bits before they could overflow.
#[derive(Debug)]
struct Tally {
    recent: Vec<u32>,
    /// Empty until the first flush.
    before: Vec<u64>,
}

impl Tally {
    fn flush(&mut self) {
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

/// Rows of one batch that are counted together.
#[derive(Clone, Copy)]
struct Piece<'a> {
    columns: &'a [Codes<'a>],
    start: usize,
    rows: usize,
    /// Number of rows of the block before this piece.
    before: usize,
}

/// The running counts of a plan's tables.
#[derive(Debug)]
pub struct Counter {
    plan: Arc<CountPlan>,
    tallies: Vec<Tally>,
    rows: u64,
    recent_rows: u32,
    flush_at: u32,
    scratch: Scratch,
}

/// The lanes of the small table that is being counted, and buffers for keys.
#[derive(Debug)]
struct Scratch {
    /// One cell per lane for every 16-bit key, so that no key is out of bounds. Pages without keys
    /// are never touched.
    lanes: Vec<u16>,
    small: Vec<u16>,
    large: Vec<u32>,
    /// For each byte that the plan packs from binary columns for several tables: its values for all
    /// rows of the block.
    shared_bytes: Vec<Vec<u8>>,
    /// The bytes that a single table packs for itself.
    bytes: Vec<Vec<u8>>,
}

impl Counter {
    /// Creates a counter without rows.
    pub fn new(plan: Arc<CountPlan>) -> Self {
        Self::flushing_at(plan, u32::MAX)
    }

    /// Creates a counter that flushes its 32-bit counts after `flush_at` rows, so that a test can
    /// reach the limit.
    fn flushing_at(plan: Arc<CountPlan>, flush_at: u32) -> Self {
        let tallies = plan.tables().iter().map(|table| Tally { recent: vec![0; table.cells], before: vec![] });
        let tallies = tallies.collect();
        let scratch = Scratch {
            lanes: vec![0; LANES * LANE],
            small: vec![0; KEY_ROWS],
            large: vec![0; KEY_ROWS],
            shared_bytes: plan.shared_bytes().iter().map(|_| vec![0; BLOCK_ROWS]).collect(),
            bytes: vec![
                vec![0; KEY_ROWS];
                plan.tables().iter().map(|table| table.own_bytes().count()).max().unwrap_or(0)
            ],
        };
        Self { plan, tallies, rows: 0, recent_rows: 0, flush_at, scratch }
    }

    /// Counts the rows of `batches`: for each, the codes of the [columns of the
    /// plan](CountPlan::columns), in that order.
    ///
    /// Fastest with a multiple of 40,960 rows per call, in any number of batches.
    pub fn add(&mut self, batches: &[Vec<Codes<'_>>]) -> Result<(), KernelError> {
        let mut pieces = vec![];
        let mut pending = 0;
        for columns in batches {
            let rows = self.check(columns)?;
            self.rows = self.rows.checked_add(rows as u64).ok_or(KernelError::TooManyRows)?;
            for start in (0..rows).step_by(KEY_ROWS) {
                let length = KEY_ROWS.min(rows - start);
                if pending + length > BLOCK_ROWS {
                    self.count_block(&pieces, pending);
                    pieces.clear();
                    pending = 0;
                }
                pieces.push(Piece { columns, start, rows: length, before: pending });
                pending += length;
            }
        }
        self.count_block(&pieces, pending);
        Ok(())
    }

    /// Returns the requested tables, in the order of the cliques.
    pub fn finish(&self) -> Vec<Vec<u64>> {
        self.plan.split(&self.finish_together())
    }

    /// Returns the counts of all requested tables, one table after another.
    pub(crate) fn finish_together(&self) -> Vec<u64> {
        self.plan.summed(self.tallies.iter().map(Tally::counts))
    }

    /// Approximate number of bytes in use.
    pub fn bytes(&self) -> usize {
        let tallies = self.tallies.iter().map(|tally| 4 * tally.recent.capacity() + 8 * tally.before.capacity());
        let packed: usize = self.scratch.shared_bytes.iter().map(Vec::capacity).sum();
        tallies.sum::<usize>() + size_of_val(&*self.scratch.lanes) + packed
    }

    /// Returns the number of rows of a batch, after checking its columns against the plan.
    fn check(&self, columns: &[Codes<'_>]) -> Result<usize, KernelError> {
        let attributes = self.plan.columns();
        let rows = columns.first().ok_or(KernelError::Codes)?.len();
        let fits = |(codes, &attribute): (&Codes<'_>, _)| {
            let size = self.plan.domain().size(attribute);
            codes.len() == rows && codes.width() == CodeWidth::for_size(size) && codes.all_below(size)
        };
        let all_fit = columns.len() == attributes.len() && columns.iter().zip(attributes).all(fits);
        if all_fit { Ok(rows) } else { Err(KernelError::Codes) }
    }

    fn count_block(&mut self, pieces: &[Piece<'_>], rows: usize) {
        let rows = u32::try_from(rows).expect("a block has at most BLOCK_ROWS rows");
        if self.flush_at - self.recent_rows < rows {
            self.tallies.iter_mut().for_each(Tally::flush);
            self.recent_rows = 0;
        }
        self.recent_rows += rows;
        for (bytes, bits) in self.scratch.shared_bytes.iter_mut().zip(self.plan.shared_bytes()) {
            for piece in pieces {
                let bytes = &mut bytes[piece.before..piece.before + piece.rows];
                pack_bits(bytes, bits, piece.columns, piece.start..piece.start + piece.rows);
            }
        }
        for (table, tally) in self.plan.tables().iter().zip(&mut self.tallies) {
            if table.is_small() {
                self.scratch.count_small(table, pieces, &mut tally.recent);
            } else {
                self.scratch.count_large(table, pieces, &mut tally.recent);
            }
        }
    }
}

/// Returns the codes of a piece's rows and the stride, for each axis of a table. Bytes that the
/// table packs for itself are written to `bytes`.
fn axes<'a>(
    table: &'a CountedTable,
    piece: &'a Piece<'_>,
    shared_bytes: &'a [Vec<u8>],
    bytes: &'a mut [Vec<u8>],
) -> impl Iterator<Item = (Codes<'a>, usize)> {
    let rows = piece.start..piece.start + piece.rows;
    for (bytes, bits) in bytes.iter_mut().zip(table.own_bytes()) {
        pack_bits(&mut bytes[..piece.rows], bits, piece.columns, rows.clone());
    }
    let mut bytes = bytes.iter();
    table.axes.iter().map(move |axis| {
        let codes = match &axis.source {
            Source::Column(column) => piece.columns[*column].slice(rows.clone()),
            Source::Bits(_) => Codes::U8(&bytes.next().expect("one for each byte of its own")[..piece.rows]),
            Source::SharedBits(byte) => Codes::U8(&shared_bytes[*byte][piece.before..piece.before + piece.rows]),
        };
        (codes, axis.stride)
    })
}

impl Scratch {
    fn count_small(&mut self, table: &CountedTable, pieces: &[Piece<'_>], counts: &mut [u32]) {
        let (lanes, _) = self.lanes.as_chunks_mut::<LANE>();
        let lanes: &mut [[u16; LANE]; LANES] = lanes.try_into().expect("there are `LANES` lanes");
        for piece in pieces {
            let keys = &mut self.small[..piece.rows];
            fill(keys, axes(table, piece, &self.shared_bytes, &mut self.bytes));
            let (fours, rest) = keys.as_chunks::<LANES>();
            for keys in fours {
                for (lane, &key) in lanes.iter_mut().zip(keys) {
                    lane[usize::from(key)] = lane[usize::from(key)].wrapping_add(1);
                }
            }
            for &key in rest {
                lanes[0][usize::from(key)] = lanes[0][usize::from(key)].wrapping_add(1);
            }
        }
        let [a, b, c, d] = lanes;
        let lanes = a.iter_mut().zip(b).zip(c).zip(d);
        for (count, (((a, b), c), d)) in counts.iter_mut().zip(lanes) {
            // A cell counts at most all rows of the block, so the sum fits 16 bits.
            let sum = a.wrapping_add(*b).wrapping_add(*c).wrapping_add(*d);
            *count = count.wrapping_add(sum.into());
            (*a, *b, *c, *d) = (0, 0, 0, 0);
        }
    }

    fn count_large(&mut self, table: &CountedTable, pieces: &[Piece<'_>], counts: &mut [u32]) {
        for piece in pieces {
            let keys = &mut self.large[..piece.rows];
            fill(keys, axes(table, piece, &self.shared_bytes, &mut self.bytes));
            for &key in &*keys {
                let count = &mut counts[key as usize];
                *count = count.wrapping_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::{AttributeId, Clique, Domain, cells};

    use super::*;

    /// Pseudorandom numbers.
    fn numbers(seed: u64) -> impl Iterator<Item = u32> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(state >> 33).expect("31 bits")
        })
    }

    struct Table {
        domain: Domain,
        bytes: Vec<Vec<u8>>,
        words: Vec<Vec<u16>>,
        rows: usize,
    }

    impl Table {
        /// Binary columns, small ones and one of 300 codes, in this order.
        fn new(rows: usize) -> Self {
            let sizes = [2, 2, 2, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 100, 256, 300];
            let column = |(seed, &size): (usize, &u32)| numbers(seed as u64).map(move |number| number % size);
            let mut columns = sizes.iter().enumerate().map(column);
            let bytes = columns.by_ref().take(16);
            let bytes = bytes.map(|codes| codes.take(rows).map(|code| u8::try_from(code).unwrap()).collect()).collect();
            let words =
                columns.map(|codes| codes.take(rows).map(|code| u16::try_from(code).unwrap()).collect()).collect();
            Self { domain: Domain::new(sizes.to_vec()).unwrap(), bytes, words, rows }
        }

        fn code(&self, column: usize, row: usize) -> usize {
            if column < 16 { self.bytes[column][row].into() } else { self.words[column - 16][row].into() }
        }

        fn codes(&self, plan: &CountPlan, rows: Range<usize>) -> Vec<Codes<'_>> {
            let column = |column: &AttributeId| match column.index() {
                column @ 0..16 => Codes::U8(&self.bytes[column][rows.clone()]),
                column => Codes::U16(&self.words[column - 16][rows.clone()]),
            };
            plan.columns().iter().map(column).collect()
        }

        fn by_hand(&self, clique: &Clique) -> Vec<u64> {
            let mut counts = vec![0; self.domain.table_len(clique).unwrap()];
            let strides = cells::strides(&self.domain, clique);
            for row in 0..self.rows {
                let columns = clique.attributes().iter().zip(&strides);
                counts[columns.map(|(column, stride)| self.code(column.index(), row) * stride).sum::<usize>()] += 1;
            }
            counts
        }
    }

    fn clique(members: &[usize]) -> Clique {
        Clique::new(members.iter().copied().map(AttributeId::new))
    }

    #[test]
    fn small_and_large_tables_match_a_count_by_hand() {
        let table = Table::new(5_000);
        let cliques = [
            clique(&[]),
            clique(&[0, 1, 2]),
            clique(&[13]),
            clique(&[0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
            clique(&[2, 3, 4, 5, 14]),
            clique(&[14, 15]),
            clique(&[3, 16]),
            clique(&[14, 15, 16]),
            clique(&[14, 15]),
        ];
        let plan = Arc::new(CountPlan::new(&table.domain, &cliques).unwrap());
        let expected: Vec<_> = cliques.iter().map(|clique| table.by_hand(clique)).collect();
        for batch in [1, 3, 2_048, 2_049, 5_000] {
            let mut counter = Counter::new(Arc::clone(&plan));
            let batches = (0..5_000).step_by(batch).map(|start| table.codes(&plan, start..5_000.min(start + batch)));
            counter.add(&batches.collect::<Vec<_>>()).unwrap();
            assert!(counter.finish() == expected, "batches of {batch}");
        }
    }

    #[test]
    fn counts_are_flushed_to_64_bits_before_32_overflow() {
        let table = Table::new(1_000);
        let cliques = [clique(&[0, 1]), clique(&[14, 15, 16])];
        let plan = Arc::new(CountPlan::new(&table.domain, &cliques).unwrap());
        // As if 32 bits held at most 2,500.
        let mut counter = Counter::flushing_at(Arc::clone(&plan), 2_500);
        for _ in 0..7 {
            counter.add(&[table.codes(&plan, 0..1_000)]).unwrap();
        }
        let expected =
            cliques.iter().map(|clique| table.by_hand(clique).iter().map(|count| 7 * count).collect::<Vec<_>>());
        assert!(counter.finish().into_iter().eq(expected));
        assert!(counter.tallies.iter().all(|tally| !tally.before.is_empty()));
    }

    #[test]
    fn invalid_codes_are_refused() {
        let domain = Domain::new(vec![2, 3]).unwrap();
        let plan = Arc::new(CountPlan::new(&domain, &[Clique::new(domain.attributes())]).unwrap());
        let mut counter = Counter::new(Arc::clone(&plan));
        let wrong: [Vec<Codes<'_>>; 5] = [
            vec![Codes::U8(&[2]), Codes::U8(&[0])],
            vec![Codes::U8(&[0, 1]), Codes::U8(&[0])],
            vec![Codes::U8(&[0])],
            vec![Codes::U8(&[1]), Codes::U8(&[3])],
            vec![Codes::U16(&[1]), Codes::U8(&[2])],
        ];
        for batch in wrong {
            assert_eq!(counter.add(&[batch]), Err(KernelError::Codes));
        }
        assert!(CountPlan::new(&domain, &[clique(&[2])]).is_err_and(|error| error == KernelError::UnknownAttribute));
    }
}
