//! Encodes columns of whole numbers, many values at a time.
//!
//! Most columns of whole numbers have few distinct codes. The codes are looked up in a table that
//! the encoder itself has filled, so there is one set of rules. If the code is the number minus a
//! constant, as for codes and ages, there is no lookup either: the loop has no branches, and is
//! vectorised.

use std::sync::OnceLock;

use scumble_schema::Encoder;

/// Maximum numbers in a table. Larger ranges are encoded one by one.
const MAX_NUMBERS: i64 = 1 << 16;

/// The codes of all whole numbers, if their range is small.
#[derive(Debug, Default)]
pub(crate) struct WholeCodes(OnceLock<Option<WholeTable>>);

impl WholeCodes {
    /// Creates no table, for columns that are too short to justify one.
    pub(crate) fn unused() -> Self {
        Self(OnceLock::from(None))
    }

    /// Returns the table for `encoder`, created by the first call; every call must pass the same
    /// encoder.
    pub(crate) fn of(&self, encoder: &Encoder) -> Option<&WholeTable> {
        self.0.get_or_init(|| WholeTable::new(encoder)).as_ref()
    }
}

#[derive(Debug)]
pub(crate) struct WholeTable {
    /// The first and the last number of the table.
    first: i64,
    last: i64,
    /// The codes of `first ..= last`.
    codes: Vec<u32>,
    below: u32,
    above: u32,
    /// Whether the code of a number in the table is its distance from `first`.
    is_run: bool,
}

impl WholeTable {
    /// Returns the last number if every number of `0 ..= last` is its own code.
    pub(crate) fn identity(&self) -> Option<i64> {
        (self.is_run && self.first == 0).then_some(self.last)
    }

    fn new(encoder: &Encoder) -> Option<Self> {
        let (first, last) = encoder.whole_span()?;
        if last.checked_sub(first)? >= MAX_NUMBERS {
            return None;
        }
        let codes: Vec<u32> = (first..=last).map(|number| encoder.integer(number.into())).collect();
        let is_run = codes.iter().zip(0_u32..).all(|(&code, distance)| code == distance);
        let (before, after) = (i128::from(first) - 1, i128::from(last) + 1);
        Some(Self { first, last, codes, below: encoder.integer(before), above: encoder.integer(after), is_run })
    }
}

/// Whole numbers of one width.
pub(crate) trait WholeNumber: Copy {
    /// Appends the codes of `numbers` to `codes`, whose width holds every code of the table.
    fn encode<C: Code>(table: &WholeTable, numbers: &[Self], codes: &mut Vec<C>);
}

/// A code of one width.
pub(crate) trait Code: Copy {
    /// Truncates a code to this width.
    fn cut(code: u64) -> Self;
}

macro_rules! code {
    ($($code:ty),*) => {$(
        impl Code for $code {
            #[expect(clippy::cast_possible_truncation, reason = "the width was chosen to hold every code")]
            #[inline]
            fn cut(code: u64) -> Self {
                code as Self
            }
        }
    )*};
}
code!(u8, u16, u32);

macro_rules! whole_number {
    ($($number:ty, $distance:ty);*) => {$(
        impl WholeNumber for $number {
            fn encode<C: Code>(table: &WholeTable, numbers: &[Self], codes: &mut Vec<C>) {
                /// Distance of `number` from `first`, which is not larger.
                #[allow(clippy::cast_sign_loss, clippy::cast_lossless, reason = "not every width needs every cast")]
                #[inline]
                fn distance(number: $number, first: $number) -> u64 {
                    number.wrapping_sub(first) as $distance as u64
                }
                let (below, above) = (C::cut(table.below.into()), C::cut(table.above.into()));
                // The part of the table that numbers of this width can reach. All other numbers are
                // below or above, so the table may be truncated to it.
                let first = i128::from(table.first).max(Self::MIN.into());
                let last = i128::from(table.last).min(Self::MAX.into());
                let (Ok(first), Ok(last)) = (Self::try_from(first), Self::try_from(last)) else {
                    // All numbers of this width are on one side of the table.
                    let code = if i128::from(table.first) > Self::MAX.into() { below } else { above };
                    codes.extend(numbers.iter().map(|_| code));
                    return;
                };
                let skipped = i128::from(first) - i128::from(table.first);
                if table.is_run && skipped == 0 {
                    // A function that is not inlined, with slices as arguments: only then does the
                    // compiler know that codes and numbers do not overlap, and uses whole vectors.
                    #[inline(never)]
                    fn run<C: Code>(numbers: &[$number], codes: &mut [C], ends: [$number; 2], [below, above]: [C; 2]) {
                        let [first, last] = ends;
                        let codes = &mut codes[..numbers.len()];
                        for row in 0..numbers.len() {
                            let number = numbers[row];
                            let code = C::cut(distance(number, first));
                            let code = if number < first { below } else { code };
                            codes[row] = if number > last { above } else { code };
                        }
                    }
                    let filled = codes.len();
                    codes.resize(filled + numbers.len(), below);
                    run(numbers, &mut codes[filled..], [first, last], [below, above]);
                } else {
                    let skipped = usize::try_from(skipped).expect("the table begins no later than its reachable part");
                    let reachable: Vec<C> = table.codes[skipped..].iter().map(|&code| C::cut(code.into())).collect();
                    codes.extend(numbers.iter().map(|&number| {
                        if number < first {
                            below
                        } else if number > last {
                            above
                        } else {
                            reachable[usize::try_from(distance(number, first)).expect("the table is in memory")]
                        }
                    }));
                }
            }
        }
    )*};
}
whole_number!(i8, u8; i16, u16; i32, u32; i64, u64; u8, u8; u16, u16; u32, u32; u64, u64);

#[cfg(test)]
mod tests {
    use scumble_schema::Schema;

    use super::*;

    fn check<N: WholeNumber + Into<i128>>(encoder: &Encoder, table: &WholeTable, numbers: &[N]) {
        let mut codes: Vec<u32> = vec![];
        N::encode(table, numbers, &mut codes);
        let expected: Vec<u32> = numbers.iter().map(|&number| encoder.integer(number.into())).collect();
        assert_eq!(codes, expected);
    }

    #[test]
    fn every_number_has_the_code_of_its_encoder() {
        let columns = [
            "constraints: {minimum: 0, maximum: 119}",
            "constraints: {minimum: 0, maximum: 119}, dp: {open: true}",
            "constraints: {minimum: -3, maximum: 3, required: true}, dp: {foldInto: 0}",
            "constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 7}}",
            "constraints: {minimum: 200, maximum: 300}",
            "constraints: {minimum: -300, maximum: -200}",
            "constraints: {enum: [1, 5, 130, -7]}",
            "constraints: {minimum: 40000, maximum: 60000}, dp: {bins: {count: 10}}",
        ];
        for column in columns {
            for missing in ["", "missingValues: [\"\", \"-9\", \"250\"]\n"] {
                let schema = Schema::parse(&format!("{missing}fields: [{{name: x, type: integer, {column}}}]"));
                let schema = schema.unwrap_or_else(|problem| panic!("{column}: {problem}"));
                let encoder = schema.attributes()[0].encoder();
                let codes = WholeCodes::default();
                let table = codes.of(encoder).expect("the range is small");
                check(encoder, table, &(i8::MIN..=i8::MAX).collect::<Vec<_>>());
                check(encoder, table, &(u8::MIN..=u8::MAX).collect::<Vec<_>>());
                check(encoder, table, &(i16::MIN..=i16::MAX).collect::<Vec<_>>());
                check(encoder, table, &(u16::MIN..=u16::MAX).collect::<Vec<_>>());
                let wide: Vec<i64> = (-70_000..=80_000).chain([i64::MIN, i64::MAX]).collect();
                check(encoder, table, &wide);
                check(encoder, table, &wide.iter().filter_map(|&x| i32::try_from(x).ok()).collect::<Vec<_>>());
                check(encoder, table, &wide.iter().filter_map(|&x| u32::try_from(x).ok()).collect::<Vec<_>>());
                check(encoder, table, &wide.iter().filter_map(|&x| u64::try_from(x).ok()).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_column_with_too_many_numbers_has_no_table() {
        let schema = Schema::parse("fields: [{name: x, type: integer, constraints: {minimum: 0, maximum: 100000}}]");
        assert!(WholeCodes::default().of(schema.unwrap().attributes()[0].encoder()).is_none());
    }
}
