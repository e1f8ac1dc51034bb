//! Derived columns: binary digits of codes, or coarser versions of a column.

use crate::domain::Domain;
use crate::domain::clique::AttributeId;
use crate::domain::codes::CodeColumn;
use crate::error::SchemaError;
use crate::schema::hierarchy::Hierarchies;

/// Derived columns, each a function of one base column, and their inverse.
///
/// Methods that work on bits or groups of codes query these columns. Every row has exactly one code
/// in each of them. They depend only on the schema or on released values, so choosing them reveals
/// nothing about rows.
///
/// ```
/// use scumble_schema::{AttributeId, CodeColumn, Domain, Recoding};
///
/// let base = Domain::new(vec![2, 5])?;
/// let bits = Recoding::binary(&base)?;
/// // One bit for the first column, three for the second; 4 is 100.
/// assert_eq!(bits.domain().sizes(), [2, 2, 2, 2]);
/// let [first, second, third] = [1, 2, 3].map(|bit| bits.codes(AttributeId::new(bit))[4]);
/// assert_eq!([first, second, third], [1, 0, 0]);
///
/// let rows = [[1], [1], [0], [0]].map(|codes| CodeColumn::U8(codes.to_vec()));
/// assert_eq!(bits.restore(&rows), [[1], [4]].map(|codes| CodeColumn::U8(codes.to_vec())));
/// # Ok::<(), scumble_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recoding {
    base: Domain,
    domain: Domain,
    columns: Box<[Column]>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    /// The base column.
    of: AttributeId,
    /// The next finer version of this column.
    finer: Option<AttributeId>,
    /// The code for every code of the base column.
    codes: Box<[u32]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The unchanged base columns come first.
    Extended,
    /// Every base column is replaced by its binary digits, highest first.
    Binary,
}

impl Recoding {
    /// The unchanged base columns.
    pub fn identity(base: &Domain) -> Self {
        let columns = base.attributes().map(|of| Column::same(base, of)).collect();
        Self { base: base.clone(), domain: base.clone(), columns, kind: Kind::Extended }
    }

    /// The binary digits of every code, highest first. A column with one code has one digit, always
    /// 0.
    ///
    /// # Errors
    /// If there are more than [`limits::COLUMNS`](crate::limits::COLUMNS) digits.
    pub fn binary(base: &Domain) -> Result<Self, SchemaError> {
        let mut columns = Vec::new();
        for of in base.attributes() {
            for digit in (0..digits(base.size(of))).rev() {
                let codes = (0..base.size(of)).map(|code| code >> digit & 1).collect();
                columns.push(Column { of, finer: None, codes });
            }
        }
        Self::of_columns(base, columns, Kind::Binary, |column| if base.size(column.of) == 1 { 1 } else { 2 })
    }

    /// The base columns, followed by coarser versions of those with more than `largest` codes. Each
    /// level merges `width` neighbouring codes, until at most `largest` groups are left.
    ///
    /// # Errors
    /// If there are too many columns, or `width` is below 2.
    pub fn with_coarser(base: &Domain, width: u32, largest: u32) -> Result<Self, SchemaError> {
        Self::with_coarser_or_declared(base, width, largest, &Hierarchies::new())
    }

    /// The base columns, followed by coarser versions: the levels of columns in `declared`,
    /// whatever their size, and for the others those of [`Self::with_coarser`].
    ///
    /// # Errors
    /// Those of [`Self::with_coarser`] and of [`Self::and_levels`].
    pub fn with_coarser_or_declared(
        base: &Domain,
        width: u32,
        largest: u32,
        declared: &Hierarchies,
    ) -> Result<Self, SchemaError> {
        if width < 2 || largest == 0 {
            return Err(SchemaError::Table {
                problem: format!("groups of {width} codes cannot give at most {largest} groups"),
                hint: "use groups of two or more codes, and at least one group".into(),
            });
        }
        let mut columns: Vec<Column> = base.attributes().map(|of| Column::same(base, of)).collect();
        let is_declared = |of| declared.iter().any(|&(column, _)| column == of);
        for of in base.attributes().filter(|&of| !is_declared(of)) {
            let (mut finer, mut size) = (of, base.size(of));
            while size > largest {
                let codes = columns[finer.index()].codes.iter().map(|code| code / width).collect();
                columns.push(Column { of, finer: Some(finer), codes });
                (finer, size) = (AttributeId::new(columns.len() - 1), size.div_ceil(width));
            }
        }
        Self::of_columns(base, columns, Kind::Extended, Column::size)?.and_levels(declared.iter().cloned())
    }

    /// The base columns, followed by one coarser version of some of them, given by the group of
    /// every code.
    ///
    /// # Errors
    /// If there are too many columns, or the number of groups is not the number of codes.
    pub fn with_groups(base: &Domain, groups: Vec<(AttributeId, Vec<u32>)>) -> Result<Self, SchemaError> {
        Self::identity(base).and_levels(groups.into_iter().map(|(of, codes)| (of, vec![codes])))
    }

    /// Appends coarser versions of some base columns, finest first, each given by the group of
    /// every base code.
    ///
    /// # Errors
    /// If there are too many columns, or the number of groups is not the number of codes.
    pub fn and_levels<Groups: Into<Box<[u32]>>>(
        &self,
        levels: impl IntoIterator<Item = (AttributeId, Vec<Groups>)>,
    ) -> Result<Self, SchemaError> {
        let mut columns = self.columns.to_vec();
        for (of, versions) in levels {
            let mut finer = of;
            for codes in versions {
                let codes: Box<[u32]> = codes.into();
                if self.base.sizes().get(of.index()).map(|&size| size as usize) != Some(codes.len()) {
                    return Err(SchemaError::Table {
                        problem: format!(
                            "groups are given for {} codes of column {}, which has another number",
                            codes.len(),
                            of.index()
                        ),
                        hint: "assign one group to every code of the column".into(),
                    });
                }
                columns.push(Column { of, finer: Some(finer), codes });
                finer = AttributeId::new(columns.len() - 1);
            }
        }
        Self::of_columns(&self.base, columns, self.kind, Column::size)
    }

    fn of_columns(
        base: &Domain,
        columns: Vec<Column>,
        kind: Kind,
        size: impl Fn(&Column) -> u32,
    ) -> Result<Self, SchemaError> {
        let domain = Domain::new(columns.iter().map(size).collect())?;
        Ok(Self { base: base.clone(), domain, columns: columns.into(), kind })
    }

    /// The domain of the derived columns.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The domain of the base columns.
    pub fn base(&self) -> &Domain {
        &self.base
    }

    /// Whether the derived columns are the base columns.
    pub fn is_identity(&self) -> bool {
        self.kind == Kind::Extended && self.domain == self.base
    }

    /// Whether the derived columns begin with the base columns.
    pub fn has_base_columns(&self) -> bool {
        self.kind == Kind::Extended
    }

    /// Whether its columns begin with those of `other`.
    pub fn extends(&self, other: &Self) -> bool {
        (&self.base, self.kind) == (&other.base, other.kind) && self.columns.starts_with(&other.columns)
    }

    /// The base column of a derived column.
    pub fn of(&self, column: AttributeId) -> AttributeId {
        self.columns[column.index()].of
    }

    /// The next finer version of a derived column, if it is a coarser one.
    pub fn finer(&self, column: AttributeId) -> Option<AttributeId> {
        self.columns[column.index()].finer
    }

    /// The coarser versions of every base column that has some, finest first.
    pub fn levels(&self) -> Hierarchies {
        let coarser = |of| move |column: &&Column| column.of == of && column.finer.is_some();
        let levels = |of| self.columns.iter().filter(coarser(of)).map(|column| column.codes.clone()).collect();
        let all = self.base.attributes().map(|of| (of, levels(of)));
        all.filter(|(_, levels): &(_, Vec<_>)| !levels.is_empty()).collect()
    }

    /// The code of a derived column for every code of its base column.
    pub fn codes(&self, column: AttributeId) -> &[u32] {
        &self.columns[column.index()].codes
    }

    /// The code of the derived column `coarser` for every code of its finer version `finer`.
    pub fn groups(&self, finer: AttributeId, coarser: AttributeId) -> Vec<u32> {
        let mut groups = vec![0; self.domain.size(finer) as usize];
        for (&code, &group) in self.codes(finer).iter().zip(self.codes(coarser)) {
            groups[code as usize] = group;
        }
        groups
    }

    /// Computes the base columns from the derived ones.
    ///
    /// Digits above the largest code lose the highest one, which always gives a code. No real row
    /// has such digits, but noise can produce them.
    ///
    /// # Panics
    /// If there are fewer columns than in the domain.
    pub fn restore(&self, rows: &[CodeColumn]) -> Vec<CodeColumn> {
        match self.kind {
            Kind::Extended => rows[..self.base.len()].to_vec(),
            Kind::Binary => {
                let mut rest = rows;
                let base = self.base.sizes().iter();
                base.map(|&size| {
                    let (bits, others) = rest.split_at(digits(size) as usize);
                    rest = others;
                    from_digits(bits, size)
                })
                .collect()
            }
        }
    }
}

impl Column {
    fn same(base: &Domain, of: AttributeId) -> Self {
        Self { of, finer: None, codes: (0..base.size(of)).collect() }
    }

    /// The largest code plus one.
    fn size(&self) -> u32 {
        self.codes.iter().max().map_or(1, |code| code.saturating_add(1))
    }
}

/// Number of binary digits of the codes below `size`; at least one.
fn digits(size: u32) -> u32 {
    (u32::BITS - (size - 1).leading_zeros()).max(1)
}

/// Codes below `size` from their binary digits, highest first.
fn from_digits(bits: &[CodeColumn], size: u32) -> CodeColumn {
    let rows = bits[0].len();
    let mut column = CodeColumn::with_capacity(size, rows);
    let highest = 1 << (bits.len() - 1);
    for row in 0..rows {
        let code = bits.iter().fold(0, |code, bit| code << 1 | bit.get(row));
        column.push(if code < size { code } else { code - highest });
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(sizes: &[u32]) -> Domain {
        Domain::new(sizes.to_vec()).unwrap()
    }

    fn column(codes: &[u32], size: u32) -> CodeColumn {
        let mut column = CodeColumn::with_capacity(size, codes.len());
        for &code in codes {
            column.push(code);
        }
        column
    }

    #[test]
    fn every_code_is_restored_from_its_digits() {
        for size in [1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 1_000] {
            let base = domain(&[size]);
            let binary = Recoding::binary(&base).unwrap();
            let rows: Vec<CodeColumn> =
                binary.domain().attributes().map(|bit| column(binary.codes(bit), binary.domain().size(bit))).collect();
            assert_eq!(binary.restore(&rows), [column(&(0..size).collect::<Vec<_>>(), size)], "{size}");
        }
    }

    #[test]
    fn digits_above_the_largest_code_give_a_code() {
        // The digits 101 and 111, where only 0 to 4 are codes.
        let bits = Recoding::binary(&domain(&[5])).unwrap();
        let rows = [[1, 1], [0, 1], [1, 1]].map(|bit| column(&bit, 2));
        assert_eq!(bits.restore(&rows), [column(&[1, 3], 5)]);
    }

    #[test]
    fn large_columns_are_coarsened_until_small() {
        let coarser = Recoding::with_coarser(&domain(&[3, 100, 16]), 4, 16).unwrap();
        assert_eq!(coarser.domain().sizes(), [3, 100, 16, 25, 7]);
        let [third, fourth] = [3, 4].map(AttributeId::new);
        assert_eq!([coarser.finer(third), coarser.finer(fourth)], [Some(AttributeId::new(1)), Some(third)]);
        assert_eq!([coarser.of(third), coarser.of(fourth)], [AttributeId::new(1); 2]);
        // Code 99 of the base column is in the last group of both.
        assert_eq!([coarser.codes(third)[99], coarser.codes(fourth)[99]], [24, 6]);
        assert_eq!(coarser.codes(fourth)[15..17], [0, 1]);
        // 25 groups of four in groups of four again.
        assert_eq!(coarser.groups(third, fourth), (0..25).map(|code| code / 4).collect::<Vec<_>>());
        assert!(Recoding::with_coarser(&domain(&[3]), 1, 16).is_err());
    }

    #[test]
    fn given_groups_become_columns() {
        let base = domain(&[3, 5, 2]);
        let column = AttributeId::new(1);
        let grouped = Recoding::with_groups(&base, vec![(column, vec![0, 2, 1, 2, 2])]).unwrap();
        assert_eq!(grouped.domain().sizes(), [3, 5, 2, 3]);
        let group = AttributeId::new(3);
        assert_eq!((grouped.of(group), grouped.finer(group)), (column, Some(column)));
        assert_eq!(grouped.groups(column, group), [0, 2, 1, 2, 2]);
        assert!(Recoding::with_groups(&base, vec![(column, vec![0; 4])]).is_err());
        assert!(Recoding::with_groups(&base, vec![(AttributeId::new(7), vec![0; 4])]).is_err());
        assert!(Recoding::with_groups(&base, vec![(column, vec![u32::MAX; 5])]).is_err());
    }

    #[test]
    fn an_extension_appends_columns() {
        let base = domain(&[3, 5]);
        let identity = Recoding::identity(&base);
        let grouped =
            |groups: [u32; 5]| Recoding::with_groups(&base, vec![(AttributeId::new(1), groups.to_vec())]).unwrap();
        assert!(identity.extends(&identity) && grouped([0, 0, 1, 1, 1]).extends(&identity));
        assert!(!identity.extends(&grouped([0, 0, 1, 1, 1])));
        assert!(!grouped([0, 0, 1, 1, 1]).extends(&grouped([0, 1, 1, 1, 1])));
        assert!(!Recoding::binary(&base).unwrap().extends(&identity));
        assert!(!identity.extends(&Recoding::identity(&domain(&[3, 6]))));
    }

    #[test]
    fn only_unchanged_columns_are_the_identity() {
        let base = domain(&[2, 2]);
        assert!(Recoding::identity(&base).is_identity());
        assert!(Recoding::with_coarser(&base, 2, 4).unwrap().is_identity());
        assert!(!Recoding::binary(&base).unwrap().is_identity());
    }
}
