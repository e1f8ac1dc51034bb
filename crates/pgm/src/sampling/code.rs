//! Codes in the integer type of their column.

/// The integer type of a column's codes.
pub(super) trait Code: Copy + Default {
    /// Converts a code. The type is wide enough for all codes of the attribute.
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
