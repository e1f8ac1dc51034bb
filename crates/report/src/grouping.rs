//! Which values of a column are drawn, and which are taken together.
//!
//! What is on a number line is drawn in its order, and where bins differ in width, as a density: a wide bin holds more rows than
//! a narrow one of the same shape, and drawn as it is would look like a hump. What is not on a line comes with the most frequent first.

use scumble_schema::{Attribute, FieldType, Scalar};

use crate::words::{grouped, short};

/// Most bars one below the other.
const MAX_BARS: usize = 16;
/// Most columns side by side.
const MAX_COLUMNS: usize = 60;
/// Bins whose widths differ by no more than this factor count as equal: months, leap years, a last bin that is a little shorter.
const EQUAL: f64 = 1.5;
/// Fewer bins than this have no shape to be mistaken.
const MIN_SHAPE: usize = 3;
/// A bin that is narrower than the usual one by this factor is a value by itself, such as an income of nothing. Its density would
/// dwarf all others, so it is told in words.
const HEAP: f64 = 50.0;
/// About how many places of an axis are labelled.
const MARKS: usize = 4;

/// Values that are drawn as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The first value, in words.
    pub first: String,
    /// The last value, in words; the same if there is but one.
    pub last: String,
    /// Their codes.
    pub codes: Vec<u32>,
    /// The share of the rows.
    pub share: f64,
    /// How wide the values are together, where they are bins.
    width: Option<f64>,
}

impl Group {
    /// From the first value to the last, in words.
    pub fn label(&self) -> String {
        if self.first == self.last { self.first.clone() } else { format!("{} to {}", self.first, self.last) }
    }
}

/// How a column is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// As bars one below the other, each with a name.
    Bars {
        /// From the top.
        bars: Vec<Group>,
        /// All other values together. Their bar would make the others look small.
        rest: Option<Group>,
    },
    /// As columns side by side, in the order of their values.
    Columns {
        /// In order.
        columns: Vec<Group>,
        /// What has no place in the order: missing and unknown values, and values by themselves.
        aside: Vec<Group>,
        /// What heights are, where columns differ in width.
        density: Option<Density>,
    },
}

/// Rows per so much of a number line: what columns of different widths have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    /// Per how much, in the unit of widths.
    per: f64,
    /// The same in words.
    in_words: String,
}

impl Density {
    /// What the axis measures: `% of rows per 1,000`.
    pub fn axis(&self) -> String {
        format!("% of rows per {}", self.in_words)
    }

    /// How high a column of this group is, if so large a share of rows is in it.
    pub fn height(&self, group: &Group, share: f64) -> f64 {
        group.width.map_or(share, |width| share * self.per / width)
    }
}

impl Shown {
    /// How to draw a column with these shares of its codes.
    ///
    /// Values on a number line keep their order, and are taken together by neighbours where they are many. Others come with the most
    /// frequent first, and the rest of them as one. Truth values keep their order.
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
            // A stable sort: ties stay in code order, so that the same model is always drawn the same way.
            bars.sort_by(|left, right| right.share.total_cmp(&left.share));
        }
        if bars.len() <= MAX_BARS {
            return Self::Bars { bars, rest: None };
        }
        let rest = together(&bars.split_off(MAX_BARS - 1));
        let name = format!("{} other values", rest.codes.len());
        Self::Bars { bars, rest: Some(Group { first: name.clone(), last: name, ..rest }) }
    }

    /// What is told in words, because it has no bar of its own.
    pub fn aside(&self) -> &[Group] {
        match self {
            Self::Bars { rest, .. } => rest.as_slice(),
            Self::Columns { aside, .. } => aside,
        }
    }

    /// How many codes are drawn as one, if they are several.
    pub fn together(&self) -> Option<usize> {
        match self {
            Self::Bars { .. } => None,
            Self::Columns { columns, .. } => {
                columns.iter().map(|column| column.codes.len()).max().filter(|&codes| codes > 1)
            }
        }
    }
}

/// Where an axis of columns is labelled: a few places between them, both ends among them.
pub fn marks(columns: &[Group]) -> Vec<(usize, String)> {
    let step = columns.len().div_ceil(MARKS).max(1);
    let mut marks: Vec<(usize, String)> =
        columns.iter().enumerate().step_by(step).map(|(place, group)| (place, group.first.clone())).collect();
    if let Some(last) = columns.last() {
        marks.push((columns.len(), last.last.clone()));
    }
    marks
}

/// The bins that are values by themselves, and the others.
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
    let Some(widths) = widths.filter(|widths| widths.len() >= MIN_SHAPE) else { return false };
    let (least, most) = widths.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &width| (a.min(width), b.max(width)));
    most > EQUAL * least
}

fn median_width(groups: &[Group]) -> Option<f64> {
    let mut widths: Vec<f64> = groups.iter().filter_map(|group| group.width).collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied()
}

/// Per which width rows are told: a round number, about as wide as the usual column.
fn density(field_type: FieldType, columns: &[Group]) -> Density {
    let usual = median_width(columns).unwrap_or(1.0);
    let (of_one, unit) = match field_type {
        FieldType::Date => (1.0, " days"),
        FieldType::Year => (1.0, " years"),
        FieldType::Datetime => (3_600.0, " hours"),
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

/// Neighbours together, so that no more columns are left than a picture has room for.
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

/// The end of a bin: real numbers with a few digits, instants to the minute, days without a time.
pub(crate) fn in_words(end: Scalar) -> String {
    match end {
        Scalar::Number(number) => short(number),
        Scalar::Text(text) => match text.split_once('T') {
            Some((day, time)) if time.starts_with("00:00") => day.into(),
            Some((day, time)) => format!("{day} {}", &time[..time.len().min(5)]),
            None => text,
        },
        whole => whole.to_string(),
    }
}

/// The first and the last value of a code, in words.
fn ends(attribute: &Attribute, code: u32) -> (String, String) {
    match attribute.bin(code) {
        // A bin of several codes does not tell which of them is meant.
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
