//! A table seen through other columns: bits of its codes, or coarser versions of them.

use crate::clique::AttributeId;
use crate::codes::CodeColumn;
use crate::domain::Domain;
use crate::error::SchemaError;
use crate::hierarchy::Hierarchies;

/// New columns, each a function of one column of a base domain, and the way back.
///
/// Methods that work on bits or on groups of codes ask their questions of these columns. Every row still has exactly one
/// code in every one of them, and they follow from the schema alone, or from values that were released: nothing about rows is
/// learned by choosing them.
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
    /// The column of the base domain that it is a function of.
    of: AttributeId,
    /// The column here that it is the next coarser version of.
    finer: Option<AttributeId>,
    /// Its code for every code of that column.
    codes: Box<[u32]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The base columns come first, as they are.
    Extended,
    /// Every base column is its binary digits, highest first.
    Binary,
}

impl Recoding {
    /// The columns as they are.
    pub fn identity(base: &Domain) -> Self {
        let columns = base.attributes().map(|of| Column::same(base, of)).collect();
        Self { base: base.clone(), domain: base.clone(), columns, kind: Kind::Extended }
    }

    /// The binary digits of every code, highest first. A column of one code keeps one digit, which is always 0.
    ///
    /// # Errors
    /// If there are too many digits for a domain.
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

    /// The columns as they are, and after them coarser versions of those with more than `largest` codes: neighbouring codes in
    /// groups of `width`, again and again until at most `largest` groups are left.
    ///
    /// # Errors
    /// If there are too many columns for a domain, or groups of less than two codes.
    pub fn with_coarser(base: &Domain, width: u32, largest: u32) -> Result<Self, SchemaError> {
        Self::with_coarser_or_declared(base, width, largest, &Hierarchies::new())
    }

    /// The same, with declared levels in place of groups of neighbours for the columns that have some, whatever their size.
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
                problem: format!("groups of {width} codes never become at most {largest} groups"),
                hint: "take groups of two or more codes, and at least one group".into(),
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

    /// The columns as they are, and after them one coarser version of some: for each of these, the group that every one of its
    /// codes is in.
    ///
    /// # Errors
    /// If there are too many columns for a domain, or one of them has not as many codes as groups are given for.
    pub fn with_groups(base: &Domain, groups: Vec<(AttributeId, Vec<u32>)>) -> Result<Self, SchemaError> {
        Self::identity(base).and_levels(groups.into_iter().map(|(of, codes)| (of, vec![codes])))
    }

    /// The same columns, and after them coarser and coarser versions of some columns of the base domain: for each version, the group that
    /// every code of the base column is in.
    ///
    /// # Errors
    /// If there are too many columns for a domain, or a column has not as many codes as groups are given for.
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
                        problem: format!("column {} has not the {} codes that are grouped", of.index(), codes.len()),
                        hint: "give every code of a column one group".into(),
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

    /// The domain of the new columns.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The domain that they are functions of.
    pub fn base(&self) -> &Domain {
        &self.base
    }

    /// Whether the columns are as they were.
    pub fn is_identity(&self) -> bool {
        self.kind == Kind::Extended && self.domain == self.base
    }

    /// Whether the base columns are among its own, in the same places, and not taken apart.
    pub fn has_base_columns(&self) -> bool {
        self.kind == Kind::Extended
    }

    /// Whether it has all columns of another one, in the same places, and perhaps more.
    pub fn extends(&self, other: &Self) -> bool {
        (&self.base, self.kind) == (&other.base, other.kind) && self.columns.starts_with(&other.columns)
    }

    /// The base column that a new one is a function of.
    pub fn of(&self, column: AttributeId) -> AttributeId {
        self.columns[column.index()].of
    }

    /// The new column that this one is the next coarser version of.
    pub fn finer(&self, column: AttributeId) -> Option<AttributeId> {
        self.columns[column.index()].finer
    }

    /// The coarser versions that there are: for every base column that has some, its groups in each, finest first.
    pub fn levels(&self) -> Hierarchies {
        let coarser = |of| move |column: &&Column| column.of == of && column.finer.is_some();
        let levels = |of| self.columns.iter().filter(coarser(of)).map(|column| column.codes.clone()).collect();
        let all = self.base.attributes().map(|of| (of, levels(of)));
        all.filter(|(_, levels): &(_, Vec<_>)| !levels.is_empty()).collect()
    }

    /// The code of a new column for every code of its base column.
    pub fn codes(&self, column: AttributeId) -> &[u32] {
        &self.columns[column.index()].codes
    }

    /// The code of the new column `coarser` for every code of `finer`, another new column that it is a function of.
    pub fn groups(&self, finer: AttributeId, coarser: AttributeId) -> Vec<u32> {
        let mut groups = vec![0; self.domain.size(finer) as usize];
        for (&code, &group) in self.codes(finer).iter().zip(self.codes(coarser)) {
            groups[code as usize] = group;
        }
        groups
    }

    /// The base columns of rows given in the new ones.
    ///
    /// Digits that are no code of their base column lose the highest one: what is left always is a code. Noise may
    /// make such digits likely; no real row has them.
    ///
    /// # Panics
    /// If there are fewer columns than the domain has.
    pub fn restore(&self, rows: &[CodeColumn]) -> Vec<CodeColumn> {
        match self.kind {
            Kind::Extended => rows[..self.base.len()].to_vec(),
            Kind::Binary => {
                let mut rest = rows;
                let base = self.base.sizes().iter();
                base.map(|&size| {
                    let (bits, others) = rest.split_at(digits(size) as usize);
                    rest = others;
                    number(bits, size)
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

    /// How many codes it has: up to the largest that is in use.
    fn size(&self) -> u32 {
        self.codes.iter().max().map_or(1, |code| code.saturating_add(1))
    }
}

/// How many binary digits the codes below `size` have; at least one.
fn digits(size: u32) -> u32 {
    (u32::BITS - (size - 1).leading_zeros()).max(1)
}

/// The codes below `size` with these binary digits, highest first.
fn number(bits: &[CodeColumn], size: u32) -> CodeColumn {
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
    fn every_code_comes_back_from_its_digits() {
        for size in [1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 1_000] {
            let base = domain(&[size]);
            let binary = Recoding::binary(&base).unwrap();
            let rows: Vec<CodeColumn> =
                binary.domain().attributes().map(|bit| column(binary.codes(bit), binary.domain().size(bit))).collect();
            assert_eq!(binary.restore(&rows), [column(&(0..size).collect::<Vec<_>>(), size)], "{size}");
        }
    }

    #[test]
    fn digits_of_no_code_are_some_code() {
        // 101 and 111 of three digits, where only 0 to 4 are codes.
        let bits = Recoding::binary(&domain(&[5])).unwrap();
        let rows = [[1, 1], [0, 1], [1, 1]].map(|bit| column(&bit, 2));
        assert_eq!(bits.restore(&rows), [column(&[1, 3], 5)]);
    }

    #[test]
    fn large_columns_get_coarser_versions_until_they_are_small() {
        let coarser = Recoding::with_coarser(&domain(&[3, 100, 16]), 4, 16).unwrap();
        assert_eq!(coarser.domain().sizes(), [3, 100, 16, 25, 7]);
        let [third, fourth] = [3, 4].map(AttributeId::new);
        assert_eq!([coarser.finer(third), coarser.finer(fourth)], [Some(AttributeId::new(1)), Some(third)]);
        assert_eq!([coarser.of(third), coarser.of(fourth)], [AttributeId::new(1); 2]);
        // Code 99 of the base column is in the last group of either.
        assert_eq!([coarser.codes(third)[99], coarser.codes(fourth)[99]], [24, 6]);
        assert_eq!(coarser.codes(fourth)[15..17], [0, 1]);
        // 25 groups of four in groups of four again.
        assert_eq!(coarser.groups(third, fourth), (0..25).map(|code| code / 4).collect::<Vec<_>>());
        assert!(Recoding::with_coarser(&domain(&[3]), 1, 16).is_err());
    }

    #[test]
    fn given_groups_become_columns_of_their_own() {
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
    fn a_recoding_is_extended_by_columns_after_its_own() {
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
    fn only_the_columns_as_they_are_are_the_identity() {
        let base = domain(&[2, 2]);
        assert!(Recoding::identity(&base).is_identity());
        assert!(Recoding::with_coarser(&base, 2, 4).unwrap().is_identity());
        assert!(!Recoding::binary(&base).unwrap().is_identity());
    }
}
