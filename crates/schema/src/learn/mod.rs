//! Schemas of columns that nobody declared, from released counts.
//!
//! Learning takes three steps. The first counts, for every column of texts, how many values are in
//! each [`Class`]; that shows the type. The second counts numbers and dates over a public grid, as
//! [fine](Resolution) as the rows allow, and then dates [closer](CloserLook). The third releases
//! values that enough rows share: of text columns, whose categories they are, and of numbers, where
//! many rows share one value.
//! Everything here is a function of public lists and of such counts: no row is seen.
//!
//! ```text
//!  names ──▶ class_grid ──▶ counts ──▶ LearnedKind ──▶ grid ──▶ counts ──▶ FieldSpec
//!                                          └───────────────────▶ values ──────▲
//! ```

mod classes;
mod dates;
mod form;
mod kind;
mod numbers;
mod partial;
mod segments;
mod texts;

pub use self::classes::{Class, Clock, DateStyle, TimeStyle};
pub use self::dates::CloserLook;
pub use self::form::{Form, Grouping, Notation};
pub use self::kind::{Kind, LearnedKind};
pub use self::partial::{Missing, PartialSchema, terms_alone};

use crate::file::spec::{BinsSpec, Constraints, FieldSpec, FieldTerms, Grid, Scalar, Source};

/// Noisy counts of the codes of a grid.
#[derive(Debug, Clone, Copy)]
pub struct GridCounts<'a> {
    /// One count per code, in code order.
    pub counts: &'a [f64],
    /// Standard deviation of the noise on each.
    pub noise: f64,
}

/// Noisy counts of a [grid](LearnedKind::grid) of numbers or dates.
#[derive(Debug, Clone, Copy)]
pub struct LineCounts<'a> {
    /// The counts.
    pub cells: GridCounts<'a>,
    /// How fine the grid is.
    pub resolution: Resolution,
}

/// How fine a grid is. Rows that are spread over many cells do not stand out of their noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// Four cells in an octave; years; hours of the day.
    Coarse,
    /// Sixteen cells in an octave; months; quarters of an hour.
    Fine,
}

impl Resolution {
    /// Rows for each row of noise that a fine grid needs.
    const ROWS_PER_NOISE: f64 = 500.0;

    /// Returns the resolution for a number of rows that may be unknown, with this noise on each
    /// cell.
    pub fn of(rows: Option<f64>, noise: f64) -> Self {
        if rows.is_some_and(|rows| rows >= Self::ROWS_PER_NOISE * noise) { Self::Fine } else { Self::Coarse }
    }
}

/// Number of standard deviations by which a count is above zero beyond doubt.
const SURE: f64 = 4.0;

/// Returns the column that counts the classes of the texts in a column of this name.
pub fn class_grid(name: &str) -> FieldSpec {
    FieldSpec {
        name: name.to_owned(),
        field_type: "string".into(),
        missing_values: Some(Vec::new()),
        constraints: Constraints {
            required: true,
            categories: Some(Class::all().map(|class| Scalar::Text(class.name())).collect()),
            ..Constraints::default()
        },
        dp: FieldTerms { source: Source::Public, grid: Some(Grid::Classes), ..FieldTerms::default() },
        ..FieldSpec::default()
    }
}

impl LearnedKind {
    /// Returns the column that counts a number or date over a public grid; `None` for texts,
    /// booleans and times of day, which have none.
    pub fn grid(&self, name: &str, resolution: Resolution) -> Option<FieldSpec> {
        match self.kind {
            Kind::Integer | Kind::Number { .. } => Some(numbers::grid(self, name, resolution)),
            Kind::Date(_) | Kind::Datetime(_) => Some(dates::grid(self, name, resolution)),
            Kind::Boolean | Kind::Time(..) | Kind::Text { .. } | Kind::Empty => None,
        }
    }

    /// Returns the dates that are worth a second look, from the counts of the [grid](Self::grid);
    /// `None` if finer cells would tell no more.
    pub fn closer(&self, counts: LineCounts<'_>) -> Option<CloserLook> {
        if self.is_date() { dates::closer(self, counts) } else { None }
    }

    /// Returns the column that counts dates in the finer cells of a closer look.
    pub fn closer_grid(&self, name: &str, look: &CloserLook) -> FieldSpec {
        dates::closer_grid(self, name, look)
    }

    /// Returns the column as learned from a closer look at its dates, after the first one.
    pub fn of_closer_grid(
        &self,
        name: &str,
        first: LineCounts<'_>,
        look: &CloserLook,
        counts: GridCounts<'_>,
    ) -> FieldSpec {
        dates::learned_closer(self, name, first, look, counts)
    }

    /// Returns whether single numbers may be heaped, so that their values are worth a release
    /// beside the counts of the [grid](Self::grid).
    pub fn may_have_heaps(&self, counts: LineCounts<'_>) -> bool {
        self.is_number() && numbers::may_have_heaps(self, counts)
    }

    /// Returns the column as learned from the counts of its [grid](Self::grid), and from values
    /// that enough rows share, with their numbers of rows.
    pub fn of_grid(&self, name: &str, counts: LineCounts<'_>, values: &[(&[u8], f64)]) -> FieldSpec {
        match self.kind {
            Kind::Integer | Kind::Number { .. } => numbers::learned(self, name, counts, values),
            Kind::Date(_) | Kind::Datetime(_) => dates::learned(self, name, counts),
            Kind::Boolean | Kind::Time(..) | Kind::Text { .. } | Kind::Empty => self.without_counts(name),
        }
    }

    /// Returns the column as learned from the values that enough rows share.
    pub fn of_values<'a>(&self, name: &str, values: impl IntoIterator<Item = &'a [u8]>) -> FieldSpec {
        texts::learned(self, name, values)
    }

    /// Returns a column that needs no counts: a boolean, a time of day, or one that is always
    /// blank.
    pub fn without_counts(&self, name: &str) -> FieldSpec {
        let field = self.field(name);
        match self.kind {
            Kind::Boolean => FieldSpec { field_type: "boolean".into(), ..field },
            Kind::Time(clock, resolution) => {
                let bins = BinsSpec::of_width(match resolution {
                    Resolution::Coarse => 3_600.0,
                    Resolution::Fine => 900.0,
                });
                let dp = FieldTerms { bins: Some(bins), ..field.dp };
                FieldSpec { field_type: "time".into(), format: clock.format().map(str::to_owned), dp, ..field }
            }
            _ => texts::learned(self, name, []),
        }
    }

    /// Returns a column with what is the same for all kinds: name, missing values and source.
    fn field(&self, name: &str) -> FieldSpec {
        FieldSpec {
            name: name.to_owned(),
            decimal_char: self
                .is_number()
                .then_some(self.notation.has_decimal_comma)
                .filter(|is| *is)
                .map(|_| ",".into()),
            group_char: self.notation.group.filter(|_| self.is_number()).map(String::from),
            bare_number: (self.is_number() && self.notation.is_marked).then_some(false),
            missing_values: self.missing_values(),
            constraints: Constraints { required: self.is_required, ..Constraints::default() },
            dp: FieldTerms { source: Source::Dp, ..FieldTerms::default() },
            ..FieldSpec::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Schema, SchemaSpec};

    fn kinds() -> impl Strategy<Value = Kind> {
        let styles = [DateStyle::Iso, DateStyle::ShortMonthSlash, DateStyle::NameDay];
        prop_oneof![
            Just(Kind::Integer),
            prop::option::of(0..=6_u8).prop_map(|decimals| Kind::Number { decimals }),
            prop::sample::select(styles.to_vec()).prop_map(Kind::Date),
            Just(Kind::Datetime(TimeStyle::Iso)),
            Just(Kind::Datetime(TimeStyle::Of(DateStyle::DaySlash, Clock::MinutesOf12))),
            prop::sample::select(vec![Clock::Minutes, Clock::Seconds, Clock::MinutesOf12])
                .prop_map(|clock| Kind::Time(clock, Resolution::Fine)),
            any::<bool>().prop_map(|codes| Kind::Text { codes }),
            Just(Kind::Boolean),
            Just(Kind::Empty),
        ]
    }

    fn values() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let number =
            prop_oneof![(-1e6..1e6_f64).boxed(), any::<f64>().boxed(), (-20..20_i32).prop_map(f64::from).boxed()];
        let text = prop_oneof![
            number.prop_map(|number| number.to_string().into_bytes()),
            prop::collection::vec(any::<u8>(), 0..12),
            "[a-zA-Z, ?]{0,12}".prop_map(String::into_bytes),
        ];
        prop::collection::btree_set(text, 0..90).prop_map(|values| values.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// A schema is learned after budget was spent, so there must be one whatever was released.
        #[test]
        fn whatever_is_released_there_is_a_column(
            kind in kinds(),
            notation in prop::sample::select(Notation::all().collect::<Vec<_>>()),
            is_marked: bool,
            missing in prop::sample::subsequence(vec!["", "NA", "?", "N", "..", "\\N", "k. A.", "(null)"], 0..=8),
            cells in prop::collection::vec((any::<prop::sample::Index>(), 1..400_usize, -1e3..1e6_f64), 0..6),
            noise in 0.5..1e4_f64,
            resolution in prop::sample::select(vec![Resolution::Coarse, Resolution::Fine]),
            values in values(),
        ) {
            let learned = LearnedKind { kind, notation: Notation { is_marked, ..notation }, is_required: missing.is_empty(), missing, rows: None };
            let values: Vec<(&[u8], f64)> = values.iter().map(|value| (&value[..], 300.0)).collect();
            let field = match learned.grid("x", resolution) {
                Some(grid) => {
                    let length = Schema::new(SchemaSpec { fields: vec![grid], ..SchemaSpec::default() }).unwrap();
                    let length = length.domain().sizes()[0] as usize;
                    let wiggle = |cell: usize| ((cell * 7_919 % 1_000) as f64 / 500.0 - 1.0) * noise;
                    let mut counts: Vec<f64> = (0..length).map(|cell| wiggle(cell).round()).collect();
                    for (place, cells, rows) in cells {
                        let start = place.index(length);
                        counts[start..(start + cells).min(length)].iter_mut().for_each(|count| *count += rows);
                    }
                    let counts = LineCounts { cells: GridCounts { counts: &counts, noise }, resolution };
                    match learned.closer(counts) {
                        Some(look) => {
                            let grid = SchemaSpec { fields: vec![learned.closer_grid("x", &look)], ..SchemaSpec::default() };
                            let length = Schema::new(grid).unwrap().domain().sizes()[0] as usize;
                            let closer: Vec<f64> = counts.cells.counts.iter().copied().cycle().take(length).collect();
                            learned.of_closer_grid("x", counts, &look, GridCounts { counts: &closer, noise })
                        }
                        None => learned.of_grid("x", counts, &values),
                    }
                }
                None if learned.is_text() => learned.of_values("x", values.iter().map(|(value, _)| *value)),
                None => learned.without_counts("x"),
            };
            let other = FieldSpec { name: "y".into(), field_type: "boolean".into(), ..FieldSpec::default() };
            let spec = SchemaSpec { fields: vec![field, other], ..SchemaSpec::default() };
            let schema = Schema::new(spec.clone());
            prop_assert!(schema.is_ok(), "{}: {:?}", schema.unwrap_err(), spec.fields[0]);
            // It is written down and read again as the same schema.
            let schema = schema.unwrap();
            prop_assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
        }

        #[test]
        fn whatever_the_classes_there_is_a_kind(
            counts in prop::collection::vec(-1e4..1e5_f64, Class::all().count()),
            noise in 0.5..1e4_f64,
        ) {
            LearnedKind::new(GridCounts { counts: &counts, noise });
        }
    }
}
