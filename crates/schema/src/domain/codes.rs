//! Columns of codes, stored in the narrowest integer type that fits.

/// The codes of one attribute, one per row, in the narrowest integer type that fits.
///
/// ```
/// use scumble_schema::{CodeColumn, CodeWidth};
///
/// // 300 codes need two bytes.
/// let column = CodeColumn::with_capacity(300, 0);
/// assert_eq!(column.width(), CodeWidth::U16);
/// assert_eq!(CodeColumn::U8(vec![2, 0, 1]).iter().collect::<Vec<u32>>(), [2, 0, 1]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeColumn {
    /// At most 2^8 codes.
    U8(Vec<u8>),
    /// At most 2^16 codes.
    U16(Vec<u16>),
    /// More than 2^16 codes.
    U32(Vec<u32>),
}

/// The width of a code in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeWidth {
    /// One byte.
    U8,
    /// Two bytes.
    U16,
    /// Four bytes.
    U32,
}

impl CodeWidth {
    /// The narrowest width for `size` codes.
    pub fn for_size(size: u32) -> Self {
        match size {
            0..=0x100 => Self::U8,
            0x101..=0x1_0000 => Self::U16,
            _ => Self::U32,
        }
    }
}

impl CodeColumn {
    /// An empty column for an attribute of `size` codes.
    pub fn with_capacity(size: u32, rows: usize) -> Self {
        match CodeWidth::for_size(size) {
            CodeWidth::U8 => Self::U8(Vec::with_capacity(rows)),
            CodeWidth::U16 => Self::U16(Vec::with_capacity(rows)),
            CodeWidth::U32 => Self::U32(Vec::with_capacity(rows)),
        }
    }

    /// The width of the codes.
    pub fn width(&self) -> CodeWidth {
        match self {
            Self::U8(_) => CodeWidth::U8,
            Self::U16(_) => CodeWidth::U16,
            Self::U32(_) => CodeWidth::U32,
        }
    }

    /// Appends a code.
    ///
    /// # Panics
    /// If the code does not fit the column's width, that is, does not belong to its attribute.
    pub fn push(&mut self, code: u32) {
        const WHY: &str = "a code is below its attribute's size";
        match self {
            Self::U8(codes) => codes.push(code.try_into().expect(WHY)),
            Self::U16(codes) => codes.push(code.try_into().expect(WHY)),
            Self::U32(codes) => codes.push(code),
        }
    }

    /// Appends the codes of another column.
    ///
    /// # Panics
    /// If one of them does not fit the column's width, that is, does not belong to its attribute.
    pub fn append(&mut self, more: &Self) {
        match (self, more) {
            (Self::U8(codes), Self::U8(more)) => codes.extend_from_slice(more),
            (Self::U16(codes), Self::U16(more)) => codes.extend_from_slice(more),
            (Self::U32(codes), Self::U32(more)) => codes.extend_from_slice(more),
            (codes, more) => more.iter().for_each(|code| codes.push(code)),
        }
    }

    /// The code in row `row`.
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::U8(codes) => codes[row].into(),
            Self::U16(codes) => codes[row].into(),
            Self::U32(codes) => codes[row],
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    /// Whether the column has no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes in these rows, in this order.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        match self {
            Self::U8(codes) => Self::U8(rows.iter().map(|&row| codes[row]).collect()),
            Self::U16(codes) => Self::U16(rows.iter().map(|&row| codes[row]).collect()),
            Self::U32(codes) => Self::U32(rows.iter().map(|&row| codes[row]).collect()),
        }
    }

    /// All codes, in row order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }
}
