//! Swaps between rows that bring tables across the cliques of a tree nearer to the model.

use rand::Rng;
use scumble_cancel::checkpoint;
use scumble_schema::{AttributeId, CodeColumn, Domain};

use super::branch::Branch;
use super::code::Code;
use super::joint_tables::{JointTable, JointTables};
use super::target::RowTarget;

/// How many swaps are tried.
#[derive(Debug, Clone, Copy)]
struct Effort {
    /// Swaps tried per row, over all branches and rounds.
    tries_per_row: usize,
    /// Rounds over all branches. Swaps of one branch make further swaps of others worthwhile.
    rounds: usize,
}

/// Rows are near the model before the first swap, and only chance is removed.
const TOWARDS_MODEL: Effort = Effort { tries_per_row: 8, rounds: 2 };

/// Rows do not have the relations of targets before the first swap.
const TOWARDS_TARGETS: Effort = Effort { tries_per_row: 64, rounds: 4 };

/// Number of rows that the shares of targets are multiplied by.
const ROWS_OF_TARGETS: u32 = 1 << 31;

/// One row in the fixed-point numbers of errors: sums are exact, and expected counts have
/// fractions.
const ROW: i32 = 1 << 8;

/// Expected counts of some tables, and how hard rows are moved towards them.
#[derive(Debug, Clone)]
pub(super) struct Matching {
    tables: JointTables,
    expected: Vec<u32>,
    /// Number of rows that `expected` was counted in.
    counted_rows: u64,
    effort: Effort,
}

impl Matching {
    /// Counts the expected tables of these columns in rows drawn from the model. Returns `None` if
    /// there are no tables, or they are too large.
    pub(super) fn new(
        domain: &Domain,
        columns: &[AttributeId],
        rows: impl FnOnce() -> Vec<Vec<CodeColumn>>,
    ) -> Option<Self> {
        let tables = JointTables::new(domain, columns)?;
        let rows = rows();
        let expected = tables.count(&rows);
        let counted_rows = rows.iter().map(|chunk| chunk.first().map_or(0, CodeColumn::len) as u64).sum();
        Some(Self { tables, expected, counted_rows, effort: TOWARDS_MODEL })
    }

    /// Takes the expected tables from targets. Returns `None` if there are none, or they are too
    /// large.
    pub(super) fn towards(domain: &Domain, targets: &[RowTarget]) -> Option<Self> {
        let tables = JointTables::of_cliques(domain, targets.iter().map(RowTarget::clique))?;
        let shares = targets.iter().flat_map(|target| target.shares().values());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is between zero and one")]
        let expected = shares.map(|share| (share * f64::from(ROWS_OF_TARGETS)).round() as u32).collect();
        Some(Self { tables, expected, counted_rows: ROWS_OF_TARGETS.into(), effort: TOWARDS_TARGETS })
    }

    /// Swaps branches between rows wherever that brings the tables nearer to the expected ones.
    pub(super) fn improve(&self, chunk: &mut [CodeColumn], branches: &[Branch], rng: &mut impl Rng) {
        let rows = chunk.first().map_or(0, CodeColumn::len);
        if rows < 2 || branches.is_empty() {
            return;
        }
        let mut state = ChunkRows::new(chunk, self.errors(chunk, rows));
        let Effort { tries_per_row, rounds } = self.effort;
        let tries = (tries_per_row * rows).div_ceil(branches.len() * rounds);
        for _ in 0..rounds {
            for branch in branches {
                checkpoint();
                let crossing = self.tables.tables().iter().filter(|table| crosses(table, branch)).collect::<Vec<_>>();
                let groups = branch.groups(&state.codes, state.width);
                for _ in 0..tries {
                    if let Some((left, right)) = groups.two(rng) {
                        state.swap(left, right, branch, &crossing);
                    }
                }
            }
        }
        state.write(chunk);
    }

    /// Returns the number of rows in each cell beyond the expected one, times [`ROW`].
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

/// Whether swaps of a branch may change a table.
fn crosses(table: &JointTable, branch: &Branch) -> bool {
    table.columns.iter().any(|column| branch.columns.contains(column))
        && table.columns.iter().any(|&column| branch.is_in_rest(column))
}

fn write<'a, C: Code>(column: &mut [C], codes: impl Iterator<Item = &'a u32>) {
    column.iter_mut().zip(codes).for_each(|(to, &code)| *to = C::from_code(code as usize));
}

/// The rows of a chunk, row by row, and the errors of its tables.
struct ChunkRows {
    codes: Vec<u32>,
    width: usize,
    errors: Vec<i32>,
    /// The codes of the second of two rows minus those of the first, in the branch; zero elsewhere.
    branch_difference: Vec<u32>,
    /// The codes of the second of two rows minus those of the first, in the rest; zero in the
    /// branch.
    rest_difference: Vec<u32>,
    /// The cells that the swap changes, in every table that it changes.
    cells: Vec<Cells>,
}

/// The cells of two rows in one table, before and after a swap. All four are different.
struct Cells {
    before: [u32; 2],
    after: [u32; 2],
}

impl ChunkRows {
    fn new(chunk: &[CodeColumn], errors: Vec<i32>) -> Self {
        let (width, rows) = (chunk.len(), chunk[0].len());
        let mut codes = vec![0; width * rows];
        for (column, from) in chunk.iter().enumerate() {
            for (to, code) in codes[column..].iter_mut().step_by(width).zip(from.iter()) {
                *to = code;
            }
        }
        let none = vec![0; width];
        Self { codes, width, errors, branch_difference: none.clone(), rest_difference: none, cells: Vec::new() }
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

    /// Swaps a branch of two rows if the sum of squared errors falls.
    fn swap(&mut self, left: usize, right: usize, branch: &Branch, tables: &[&JointTable]) {
        let row = &self.codes[left * self.width..][..self.width];
        let other = &self.codes[right * self.width..][..self.width];
        for ((difference, &code), &other) in self.rest_difference.iter_mut().zip(row).zip(other) {
            *difference = other.wrapping_sub(code);
        }
        self.branch_difference.fill(0);
        let mut differs = false;
        for &column in &branch.columns {
            let difference = std::mem::take(&mut self.rest_difference[column]);
            self.branch_difference[column] = difference;
            differs |= difference != 0;
        }
        if !differs {
            return;
        }
        self.cells.clear();
        let mut sum = 0_i64;
        for table in tables {
            // A difference of zero means that the table does not change. Wrapping, because
            // differences may be negative.
            let [by_branch, by_rest, first] = [&self.branch_difference[..], &self.rest_difference, row].map(|codes| {
                let [first, second, third] =
                    [0, 1, 2].map(|at| codes[table.columns[at]].wrapping_mul(table.strides[at]));
                first.wrapping_add(second).wrapping_add(third)
            });
            if by_branch == 0 || by_rest == 0 {
                continue;
            }
            let first = first.wrapping_add(table.first);
            let after = [first.wrapping_add(by_branch), first.wrapping_add(by_rest)];
            let cells = Cells { before: [first, after[0].wrapping_add(by_rest)], after };
            let [before, after] = [cells.before, cells.after]
                .map(|cells| i64::from(self.errors[cells[0] as usize]) + i64::from(self.errors[cells[1] as usize]));
            // Half the growth of the four squared errors, over `ROW`: one row leaves each cell of
            // `before`, and one enters each of `after`.
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
        for &column in &branch.columns {
            self.codes.swap(left * self.width + column, right * self.width + column);
        }
    }
}
