//! The map from the cells of a table to those of a table over fewer of its axes.
//!
//! Every pass over a model consists of two operations: adding a small table to a large one, and
//! summing a large table into a small one. Both need the small table's cell for each large one. An
//! index for every cell would be as large as the table; walking the axes costs a carry every few
//! cells. So the axes are split: the trailing ones make a block of a few hundred cells whose
//! offsets are stored once, the leading ones give the start of each block.

use scumble_schema::{AttributeId, Clique, Domain};

use crate::table::vector;

/// An axis of a table: an attribute and its number of codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) attribute: AttributeId,
    pub(crate) size: u32,
}

impl Axis {
    /// Returns the axes of these attributes, in this order.
    pub(crate) fn list<'a>(domain: &Domain, attributes: impl IntoIterator<Item = &'a AttributeId>) -> Vec<Self> {
        let axis = |&attribute: &AttributeId| Self { attribute, size: domain.size(attribute) };
        attributes.into_iter().map(axis).collect()
    }
}

/// Fewest cells of a block: enough to amortise its start, and few enough that the offsets stay in
/// the first cache.
const BLOCK_CELLS: usize = 256;

/// Where the cells of a block are in the small table, relative to the start of the block.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Inner {
    /// All cells are in one cell.
    One,
    /// The cells are contiguous and in order.
    Run,
    /// The offset of each cell.
    At(Box<[u32]>),
}

/// The map from a table's cells to those of a table over some of its axes.
#[derive(Debug, Clone)]
pub(crate) struct Projection {
    /// The start of every block in the small table.
    starts: Box<[u32]>,
    block: usize,
    inner: Inner,
    onto_cells: usize,
}

impl Projection {
    /// Makes the map from a table with these axes, the last varying fastest, to the table over
    /// `onto`.
    ///
    /// # Panics
    /// If `onto` has an attribute that no axis has, or a table has more cells than a `u32` counts,
    /// which is beyond `limits::CELLS_PER_MODEL`.
    pub(crate) fn new(axes: &[Axis], onto: &Clique) -> Self {
        let mut step = 1_u32;
        let mut strides = vec![0_u32; axes.len()];
        for &attribute in onto.attributes().iter().rev() {
            let place = axes.iter().position(|axis| axis.attribute == attribute).expect("a projection drops axes");
            strides[place] = step;
            step = step.checked_mul(axes[place].size).expect("a table within the limits has u32 cells");
        }
        let mut cut = axes.len();
        let mut block = 1;
        while cut > 0 && block < BLOCK_CELLS {
            cut -= 1;
            block *= axes[cut].size as usize;
        }
        let contributions =
            axes.iter().zip(strides).map(|(axis, stride)| (0..axis.size).map(|code| code * stride).collect());
        let mut contributions: Vec<Vec<u32>> = contributions.collect();
        let inner = offsets(contributions.split_off(cut));
        let starts = offsets(contributions).into();
        let inner = if inner.iter().all(|&offset| offset == 0) {
            Inner::One
        } else if inner.iter().zip(0..).all(|(&offset, index)| offset == index) {
            Inner::Run
        } else {
            Inner::At(inner.into())
        };
        Self { starts, block, inner, onto_cells: step as usize }
    }

    /// Returns the number of cells of the small table.
    pub(crate) fn onto_cells(&self) -> usize {
        self.onto_cells
    }

    /// Returns for every cell of the large table the cell of the small one that it falls in.
    pub(crate) fn cells(&self) -> impl Iterator<Item = usize> + '_ {
        let offset = |index: usize| match &self.inner {
            Inner::One => 0,
            Inner::Run => index,
            Inner::At(offsets) => offsets[index] as usize,
        };
        self.starts.iter().flat_map(move |&start| (0..self.block).map(move |index| start as usize + offset(index)))
    }

    /// Returns the number of cells of a block. It depends on the axes alone, and the large table
    /// may be cut at its multiples.
    pub(crate) fn block(&self) -> usize {
        self.block
    }

    /// `large[x] += small[x]` for every cell of the large table.
    pub(crate) fn add(&self, small: &[f64], large: &mut [f64]) {
        self.add_from(0, small, large);
    }

    /// Adds the small table to a piece of the large one that starts at the cell `first`, a multiple
    /// of [`Self::block`].
    pub(crate) fn add_from(&self, first: usize, small: &[f64], piece: &mut [f64]) {
        self.combine(first, small, piece, |cell, value| *cell += value);
    }

    /// `large[x] *= small[x]` for every cell of the large table.
    pub(crate) fn multiply(&self, small: &[f64], large: &mut [f64]) {
        self.combine(0, small, large, |cell, value| *cell *= value);
    }

    /// `large[x] /= small[x]` for every cell of the large table; 0 / 0 is 0.
    pub(crate) fn divide(&self, small: &[f64], large: &mut [f64]) {
        self.combine(0, small, large, |cell, divisor| *cell = vector::quotient(*cell, divisor));
    }

    fn combine(&self, first: usize, small: &[f64], piece: &mut [f64], combine: impl Fn(&mut f64, f64)) {
        for (&start, block) in self.starts[first / self.block..].iter().zip(piece.chunks_exact_mut(self.block)) {
            let small = &small[start as usize..];
            match &self.inner {
                Inner::One => {
                    let value = small[0];
                    for cell in block {
                        combine(cell, value);
                    }
                }
                Inner::Run => block.iter_mut().zip(small).for_each(|(cell, &value)| combine(cell, value)),
                Inner::At(offsets) => {
                    block.iter_mut().zip(offsets).for_each(|(cell, &offset)| combine(cell, small[offset as usize]));
                }
            }
        }
    }

    /// `small[x] += large[x]` for every cell of the large table.
    pub(crate) fn sum(&self, large: &[f64], small: &mut [f64]) {
        for (&start, block) in self.starts.iter().zip(large.chunks_exact(self.block)) {
            let small = &mut small[start as usize..];
            match &self.inner {
                Inner::One => small[0] += vector::sum(block),
                Inner::Run => small.iter_mut().zip(block).for_each(|(cell, value)| *cell += value),
                Inner::At(offsets) => {
                    block.iter().zip(offsets).for_each(|(value, &offset)| small[offset as usize] += value);
                }
            }
        }
    }
}

/// Returns for every cell of a table its cell in another table. Each axis lists what its codes add
/// to that cell's position; the last axis varies fastest.
pub(crate) fn offsets(axes: impl IntoIterator<Item = Vec<u32>>) -> Vec<u32> {
    axes.into_iter().fold(vec![0], |starts, axis| {
        let mut cells = Vec::with_capacity(starts.len() * axis.len());
        for start in starts {
            cells.extend(axis.iter().map(|offset| start + offset));
        }
        cells
    })
}
