//! Rows whose parts are joined so that tables across the cliques of a tree are near the model too.

use rand::Rng;
use scumble_cancel::checkpoint;
use scumble_schema::{AttributeId, CodeColumn, Domain};

use super::code::Code;
use super::joint_tables::{JointTable, JointTables};
use super::part::Part;

/// Exchanges that are tried, per row and in all.
const TRIED_PER_ROW: usize = 8;

/// How often it is each part's turn: exchanges of one part are answered by those of others.
const TURNS: usize = 2;

/// A row, in the integers that errors are held in: exact sums, and fractions of expected rows.
const ROW: i32 = 1 << 8;

/// What a model expects of tables of three columns, or of two where three are too many.
#[derive(Debug, Clone)]
pub(super) struct Matching {
    tables: JointTables,
    expected: Vec<u32>,
    /// How many rows `expected` was counted in.
    counted_rows: u64,
}

impl Matching {
    /// What these rows of a model say is expected of these columns, or `None` if the tables would be none or too large.
    pub(super) fn new(
        domain: &Domain,
        columns: &[AttributeId],
        rows: impl FnOnce() -> Vec<Vec<CodeColumn>>,
    ) -> Option<Self> {
        let tables = JointTables::new(domain, columns)?;
        let rows = rows();
        let expected = tables.count(&rows);
        let counted_rows = rows.iter().map(|chunk| chunk.first().map_or(0, CodeColumn::len) as u64).sum();
        Some(Self { tables, expected, counted_rows })
    }

    /// Exchanges parts of rows wherever that brings the tables nearer to what is expected of them.
    pub(super) fn improve(&self, chunk: &mut [CodeColumn], parts: &[Part], rng: &mut impl Rng) {
        let rows = chunk.first().map_or(0, CodeColumn::len);
        if rows < 2 || parts.is_empty() {
            return;
        }
        let mut state = Rows::new(chunk, self.errors(chunk, rows));
        let tries = (TRIED_PER_ROW * rows).div_ceil(parts.len() * TURNS);
        for _ in 0..TURNS {
            for part in parts {
                checkpoint();
                let crossing = self.tables.tables().iter().filter(|table| crosses(table, part)).collect::<Vec<_>>();
                let groups = part.groups(&state.codes, state.width);
                for _ in 0..tries {
                    if let Some((left, right)) = groups.two(rng) {
                        state.exchange(left, right, part, &crossing);
                    }
                }
            }
        }
        state.write(chunk);
    }

    /// How many rows are in each cell beyond those that are expected, times [`ROW`].
    fn errors(&self, chunk: &[CodeColumn], rows: usize) -> Vec<i32> {
        let counts = self.tables.count(std::slice::from_ref(&chunk));
        let scaled = |expected: u32| {
            let product = u64::from(expected) * rows as u64 * u64::from(ROW.unsigned_abs());
            i32::try_from((product + self.counted_rows / 2) / self.counted_rows).expect("at most 2^16 rows of 2^8")
        };
        let error = |(&count, &expected): (&u32, &u32)| count.cast_signed() * ROW - scaled(expected);
        counts.iter().zip(&self.expected).map(error).collect()
    }
}

/// Whether exchanges of a part may change a table.
fn crosses(table: &JointTable, part: &Part) -> bool {
    table.columns.iter().any(|column| part.columns.contains(column))
        && table.columns.iter().any(|&column| part.is_in_rest(column))
}

fn write<'a, C: Code>(column: &mut [C], codes: impl Iterator<Item = &'a u32>) {
    column.iter_mut().zip(codes).for_each(|(to, &code)| *to = C::from_code(code as usize));
}

/// The rows of a chunk, row by row, and how far its tables are off.
struct Rows {
    codes: Vec<u32>,
    width: usize,
    errors: Vec<i32>,
    /// What of the second of two rows differs from the first: in the part that is exchanged, and in the rest.
    part_difference: Vec<u32>,
    rest_difference: Vec<u32>,
    /// In every table that would change, the cells that change.
    cells: Vec<Cells>,
}

/// The cells of one table that two rows are in, before and after an exchange. All four are different.
struct Cells {
    before: [u32; 2],
    after: [u32; 2],
}

impl Rows {
    fn new(chunk: &[CodeColumn], errors: Vec<i32>) -> Self {
        let (width, rows) = (chunk.len(), chunk[0].len());
        let mut codes = vec![0; width * rows];
        for (column, from) in chunk.iter().enumerate() {
            for (to, code) in codes[column..].iter_mut().step_by(width).zip(from.iter()) {
                *to = code;
            }
        }
        let none = vec![0; width];
        Self { codes, width, errors, part_difference: none.clone(), rest_difference: none, cells: Vec::new() }
    }

    fn write(&self, chunk: &mut [CodeColumn]) {
        for (column, to) in chunk.iter_mut().enumerate() {
            let codes = self.codes[column..].iter().step_by(self.width);
            match to {
                CodeColumn::U8(to) => write(to, codes),
                CodeColumn::U16(to) => write(to, codes),
                CodeColumn::U32(to) => write(to, codes),
            }
        }
    }

    /// Exchanges a part of two rows if the sum of squared errors falls.
    fn exchange(&mut self, left: usize, right: usize, part: &Part, tables: &[&JointTable]) {
        let row = &self.codes[left * self.width..][..self.width];
        let other = &self.codes[right * self.width..][..self.width];
        for ((difference, &code), &other) in self.rest_difference.iter_mut().zip(row).zip(other) {
            *difference = other.wrapping_sub(code);
        }
        self.part_difference.fill(0);
        let mut differs = false;
        for &column in &part.columns {
            let difference = std::mem::take(&mut self.rest_difference[column]);
            self.part_difference[column] = difference;
            differs |= difference != 0;
        }
        if !differs {
            return;
        }
        self.cells.clear();
        let mut sum = 0_i64;
        for table in tables {
            // A distance of none means that the table stays as it is. Wrapping, because distances may be negative.
            let [by_part, by_rest, first] = [&self.part_difference[..], &self.rest_difference, row].map(|codes| {
                let [first, second, third] =
                    [0, 1, 2].map(|at| codes[table.columns[at]].wrapping_mul(table.strides[at]));
                first.wrapping_add(second).wrapping_add(third)
            });
            if by_part == 0 || by_rest == 0 {
                continue;
            }
            let first = first.wrapping_add(table.first);
            let after = [first.wrapping_add(by_part), first.wrapping_add(by_rest)];
            let cells = Cells { before: [first, after[0].wrapping_add(by_rest)], after };
            let [before, after] = [cells.before, cells.after]
                .map(|cells| i64::from(self.errors[cells[0] as usize]) + i64::from(self.errors[cells[1] as usize]));
            // Half of what the squares of the four errors grow by, in units of a row: a row less before, one more after.
            sum += after - before + 2 * i64::from(ROW);
            self.cells.push(cells);
        }
        if sum >= 0 {
            return;
        }
        for cells in &self.cells {
            cells.before.into_iter().for_each(|cell| self.errors[cell as usize] -= ROW);
            cells.after.into_iter().for_each(|cell| self.errors[cell as usize] += ROW);
        }
        for &column in &part.columns {
            self.codes.swap(left * self.width + column, right * self.width + column);
        }
    }
}
