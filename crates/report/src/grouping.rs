//! Selection and grouping of the values of a column for a picture.
//!
//! Values on a number line are drawn in their order. Where bins differ in width they are drawn as
//! densities, because a wide bin holds more rows and would look like a peak. Other values are drawn
//! with the most frequent first.

use scumble_schema::{Attribute, FieldType, Scalar};

use crate::words::{grouped, short};

/// Maximum number of bars.
const MAX_BARS: usize = 16;
/// Maximum number of columns.
const MAX_COLUMNS: usize = 60;
/// Maximum ratio of the widths of bins that count as equal: months, leap years, a shorter last bin.
const MAX_EQUAL_RATIO: f64 = 1.5;
/// Minimum number of bins that are drawn as densities.
const MIN_DENSITY_BINS: usize = 3;
/// A bin narrower than the median by this factor is a single value, such as an income of zero. Its
/// density would dwarf all others, so the text states it instead.
const HEAP: f64 = 50.0;
/// Approximate number of labels of an axis.
const MARKS: usize = 4;

/// Values that are drawn as one bar or column.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Label of the first value.
    pub first: String,
    /// Label of the last value, equal to `first` for a single value.
    pub last: String,
    /// Codes of the values.
    pub codes: Vec<u32>,
    /// Share of the rows.
    pub share: f64,
    /// Total width of the values, if they are bins.
    width: Option<f64>,
}

impl Group {
    /// Returns the label of the group: its value, or its first and last value.
    pub fn label(&self) -> String {
        if self.first == self.last { self.first.clone() } else { format!("{} to {}", self.first, self.last) }
    }
}

/// How a column is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// Horizontal bars, each with a name.
    Bars {
        /// Bars from the top.
        bars: Vec<Group>,
        /// All other values. Their bar would make the others look small.
        rest: Option<Group>,
    },
    /// Columns side by side, in the order of their values.
    Columns {
        /// Columns, in order.
        columns: Vec<Group>,
        /// Values without a column: missing and unknown values, and single values among wide bins.
        aside: Vec<Group>,
        /// Unit of the heights, if columns differ in width.
        density: Option<Density>,
    },
}

/// Unit of a density: rows per width.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    /// The width.
    per: f64,
    /// Label of the width.
    in_words: String,
}

impl Density {
    /// Returns the label of the axis, such as `% of rows per 1,000`.
    pub fn axis(&self) -> String {
        format!("% of rows per {}", self.in_words)
    }

    /// Returns the height of the column of a group with a share of the rows.
    pub fn height(&self, group: &Group, share: f64) -> f64 {
        group.width.map_or(share, |width| share * self.per / width)
    }
}

impl Shown {
    /// Decides how to draw a column with these shares of its codes.
    ///
    /// Values on a number line keep their order; if there are many, neighbours are grouped. Other
    /// values are sorted with the most frequent first, and the rest is one group. Booleans keep
    /// their order.
    pub fn new(attribute: &Attribute, shares: &[f64]) -> Self {
        let codes = || (0_u32..).zip(shares.iter().copied());
        let group = |(code, share)| {
            let (first, last) = ends(attribute, code);
            Group { first, last, codes: vec![code], share, width: attribute.bin_width(code) }
        };
        let on_line: Vec<Group> = codes().filter(|&(code, _)| attribute.bin(code).is_some()).map(group).collect();
        let aside = || codes().filter(|&(code, _)| attribute.bin(code).is_none()).map(group);
        let (heaps, spread) = heaps(&on_line);
        if differ_in_width(&spread) {
            let columns = merged(&spread);
            let density = Some(density(attribute.field_type(), &columns));
            return Self::Columns { columns, aside: heaps.into_iter().chain(aside()).collect(), density };
        }
        if on_line.len() > MAX_BARS {
            return Self::Columns { columns: merged(&on_line), aside: aside().collect(), density: None };
        }
        if !on_line.is_empty() {
            return Self::Bars { bars: on_line.into_iter().chain(aside()).collect(), rest: None };
        }
        let mut bars: Vec<Group> = aside().collect();
        if bars.len() > 3 {
            // A stable sort keeps ties in code order, so that the picture of a model is
            // reproducible.
            bars.sort_by(|left, right| right.share.total_cmp(&left.share));
        }
        if bars.len() <= MAX_BARS {
            return Self::Bars { bars, rest: None };
        }
        let rest = together(&bars.split_off(MAX_BARS - 1));
        let name = format!("{} other values", rest.codes.len());
        Self::Bars { bars, rest: Some(Group { first: name.clone(), last: name, ..rest }) }
    }

    /// Returns the groups that have no bar or column, for the text.
    pub fn aside(&self) -> &[Group] {
        match self {
            Self::Bars { rest, .. } => rest.as_slice(),
            Self::Columns { aside, .. } => aside,
        }
    }

    /// Returns the largest number of codes of a column, if it is more than one.
    pub fn together(&self) -> Option<usize> {
        match self {
            Self::Bars { .. } => None,
            Self::Columns { columns, .. } => {
                columns.iter().map(|column| column.codes.len()).max().filter(|&codes| codes > 1)
            }
        }
    }
}

/// Returns the labels of an axis of columns with their positions, including both ends.
pub fn marks(columns: &[Group]) -> Vec<(usize, String)> {
    let step = columns.len().div_ceil(MARKS).max(1);
    let mut marks: Vec<(usize, String)> =
        columns.iter().enumerate().step_by(step).map(|(place, group)| (place, group.first.clone())).collect();
    if let Some(last) = columns.last() {
        marks.push((columns.len(), last.last.clone()));
    }
    marks
}

/// Splits bins into single values and the others.
fn heaps(on_line: &[Group]) -> (Vec<Group>, Vec<Group>) {
    let usual = median_width(on_line).unwrap_or(0.0);
    let is_heap = |group: &&Group| group.width.is_some_and(|width| width * HEAP < usual);
    (
        on_line.iter().filter(is_heap).cloned().collect(),
        on_line.iter().filter(|group| !is_heap(group)).cloned().collect(),
    )
}

fn differ_in_width(bins: &[Group]) -> bool {
    let widths: Option<Vec<f64>> = bins.iter().map(|group| group.width).collect();
    let Some(widths) = widths.filter(|widths| widths.len() >= MIN_DENSITY_BINS) else { return false };
    let (min, max) = widths.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &width| (a.min(width), b.max(width)));
    max > MAX_EQUAL_RATIO * min
}

fn median_width(groups: &[Group]) -> Option<f64> {
    let mut widths: Vec<f64> = groups.iter().filter_map(|group| group.width).collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied()
}

/// Returns the unit of a density: a round width near the median width of a column.
fn density(field_type: FieldType, columns: &[Group]) -> Density {
    let usual = median_width(columns).unwrap_or(1.0);
    let (of_one, unit) = match field_type {
        FieldType::Date => (1.0, " days"),
        FieldType::Year => (1.0, " years"),
        FieldType::Datetime => (3_600.0, " hours"),
        FieldType::Time => (60.0, " minutes"),
        _ => (1.0, ""),
    };
    let usual = usual / of_one;
    let power = 10_f64.powf(usual.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().rfind(|round| *round <= usual * 1.001);
    let round = round.unwrap_or(power);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number that fits")]
    let number = if (1.0..1e15).contains(&round) { grouped(round.round() as u64) } else { short(round) };
    Density { per: round * of_one, in_words: format!("{number}{unit}") }
}

/// Groups neighbours, so that at most [`MAX_COLUMNS`] columns are left.
fn merged(groups: &[Group]) -> Vec<Group> {
    groups.chunks(groups.len().div_ceil(MAX_COLUMNS).max(1)).map(together).collect()
}

fn together(groups: &[Group]) -> Group {
    let end = |group: Option<&Group>, end: fn(&Group) -> &String| group.map(end).cloned().unwrap_or_default();
    Group {
        first: end(groups.first(), |group| &group.first),
        last: end(groups.last(), |group| &group.last),
        codes: groups.iter().flat_map(|group| &group.codes).copied().collect(),
        share: groups.iter().map(|group| group.share).sum(),
        width: groups.iter().map(|group| group.width).sum(),
    }
}

/// Formats the end of a bin: numbers with a few digits, instants and times to the minute, days
/// without a time.
pub(crate) fn in_words(end: Scalar) -> String {
    match end {
        Scalar::Number(number) => short(number),
        Scalar::Text(text) => match text.split_once('T') {
            Some((day, time)) if time.starts_with("00:00") => day.into(),
            Some((day, time)) => format!("{day} {}", &time[..time.len().min(5)]),
            // A time of day: of whole minutes, unless it has other seconds.
            None if text.contains(':') => {
                text.strip_suffix(":00").filter(|text| text.contains(':')).unwrap_or(&text).into()
            }
            None => text,
        },
        whole => whole.to_string(),
    }
}

/// Returns the labels of the first and the last value of a code.
fn ends(attribute: &Attribute, code: u32) -> (String, String) {
    match attribute.bin(code) {
        // With kept values, several codes share a bin, so its ends do not identify the code.
        Some((first, last)) if attribute.spec().dp.keep.is_none() => (in_words(first), in_words(last)),
        _ => (attribute.label(code), attribute.label(code)),
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::Schema;

    use super::*;

    fn shown_of(field: &str, share: impl Fn(usize) -> f64) -> Shown {
        let schema = Schema::parse(&format!("fields: [{{name: a, {field}}}]")).unwrap();
        let attribute = &schema.attributes()[0];
        let shares: Vec<f64> = (0..attribute.size() as usize).map(share).collect();
        Shown::new(attribute, &shares)
    }

    fn labels(groups: &[Group]) -> Vec<String> {
        groups.iter().map(Group::label).collect()
    }

    #[test]
    fn few_values_on_a_line_are_bars_in_order() {
        let Shown::Bars { bars, rest: None } =
            shown_of("type: number, constraints: {minimum: 0, maximum: 1}, dp: {bins: {count: 3}}", |_| 0.25)
        else {
            panic!("not bars")
        };
        assert_eq!(labels(&bars), ["0 to 0.3333", "0.3333 to 0.6667", "0.6667 to 1", "(missing)"]);
    }

    #[test]
    fn many_values_on_a_line_are_columns_of_neighbours() {
        let shown = shown_of("type: integer, constraints: {minimum: 0, maximum: 120}", |_| 0.125);
        let Shown::Columns { columns, aside, density: None } = &shown else { panic!("not columns") };
        assert_eq!((columns.len(), &columns[0].codes[..], &columns[40].codes[..]), (41, &[0, 1, 2][..], &[120][..]));
        assert_eq!((columns[0].label().as_str(), columns[40].label().as_str()), ("0 to 2", "120"));
        assert!((columns[0].share - 0.375).abs() < 1e-12);
        assert_eq!(labels(aside), ["(missing)"]);
        assert_eq!(shown.together(), Some(3));
    }

    #[test]
    fn the_rest_of_many_categories_has_no_bar() {
        let names: Vec<String> = (0..30).map(|name| format!("c{name}")).collect();
        let field = format!("type: string, constraints: {{required: true, enum: [{}]}}", names.join(", "));
        let Shown::Bars { bars, rest: Some(rest) } = shown_of(&field, crate::chart::to_f64) else { panic!("no rest") };
        assert_eq!((bars.len(), bars[0].label().as_str()), (MAX_BARS - 1, "c29"));
        assert_eq!((rest.codes.len(), rest.share, rest.label().as_str()), (15, 105.0, "15 other values"));
    }

    #[test]
    fn bins_of_different_widths_are_densities() {
        let edges =
            "type: integer, constraints: {required: true}, dp: {bins: {edges: [-5000, 0, 1, 1000, 2000, 4000, 14000]}}";
        // Every bin has as many rows for its width as any other, but for the heap at nothing.
        let shares = [0.5, 0.2, 0.0999, 0.1, 0.2, 1.0];
        let shown = shown_of(edges, |code| shares[code]);
        let Shown::Columns { columns, aside, density: Some(density) } = &shown else {
            panic!("no densities: {shown:?}")
        };
        assert_eq!(labels(aside), ["0"], "a value by itself has no width to speak of");
        assert_eq!(density.axis(), "% of rows per 2,000");
        for column in columns {
            assert!((density.height(column, column.share) - 0.2).abs() < 1e-4, "{column:?}");
        }
    }

    #[test]
    fn months_are_of_one_width() {
        let months = "type: date, constraints: {minimum: 2020-01-01, maximum: 2021-12-31}, dp: {bins: {by: month}}";
        assert!(matches!(shown_of(months, |_| 0.01), Shown::Columns { density: None, .. }));
    }
}
