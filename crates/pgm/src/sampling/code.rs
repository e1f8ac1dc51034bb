//! Codes in the integer of their column.

/// An integer that holds the codes of a column.
pub(super) trait Code: Copy + Default {
    /// The code in this integer, whose width was chosen for the attribute's codes.
    fn from_code(code: usize) -> Self;
}

macro_rules! code {
    ($($integer:ty),*) => {$(
        impl Code for $integer {
            #[expect(clippy::cast_possible_truncation, reason = "a code is below its attribute's size, which fits")]
            fn from_code(code: usize) -> Self {
                code as Self
            }
        }
    )*};
}

code!(u8, u16, u32);
