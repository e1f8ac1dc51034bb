//! Which values of a column are drawn, and which are taken together.

use scumble_schema::{Attribute, Scalar};

use super::number::short;

/// Most bars one below the other.
const MOST_BARS: usize = 16;
/// Most columns side by side.
const MOST_COLUMNS: usize = 60;

/// Values that are drawn as one.
pub(super) struct Group {
    /// The first value, in words.
    pub(super) first: String,
    /// The last value, in words; the same if there is but one.
    pub(super) last: String,
    /// Their codes.
    pub(super) codes: Vec<u32>,
    /// The share of the rows.
    pub(super) share: f64,
}

impl Group {
    pub(super) fn label(&self) -> String {
        if self.first == self.last { self.first.clone() } else { format!("{} to {}", self.first, self.last) }
    }
}

/// How a column is drawn.
pub(super) enum Shown {
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
        /// What has no place in the order: missing and unknown values.
        aside: Vec<Group>,
    },
}

impl Shown {
    /// What is told in words, because it has no bar of its own.
    pub(super) fn aside(&self) -> &[Group] {
        match self {
            Self::Bars { rest, .. } => rest.as_slice(),
            Self::Columns { aside, .. } => aside,
        }
    }

    /// How many codes are drawn as one, if they are several.
    pub(super) fn together(&self) -> Option<usize> {
        match self {
            Self::Bars { .. } => None,
            Self::Columns { columns, .. } => {
                columns.iter().map(|column| column.codes.len()).max().filter(|&codes| codes > 1)
            }
        }
    }
}

/// How to draw a column with these shares of its codes.
///
/// Values on a number line keep their order, and are taken together by neighbours where they are many. Others come with the most
/// frequent first, and the rest of them as one. Truth values keep their order.
pub(super) fn shown(attribute: &Attribute, shares: &[f64]) -> Shown {
    let codes = || (0_u32..).zip(shares.iter().copied());
    let group = |(code, share)| {
        let (first, last) = ends(attribute, code);
        Group { first, last, codes: vec![code], share }
    };
    let on_line: Vec<Group> = codes().filter(|&(code, _)| attribute.bin(code).is_some()).map(group).collect();
    let aside = || codes().filter(|&(code, _)| attribute.bin(code).is_none()).map(group);
    if on_line.len() > MOST_BARS {
        let each = on_line.len().div_ceil(MOST_COLUMNS);
        return Shown::Columns { columns: on_line.chunks(each).map(together).collect(), aside: aside().collect() };
    }
    if !on_line.is_empty() {
        return Shown::Bars { bars: on_line.into_iter().chain(aside()).collect(), rest: None };
    }
    let mut bars: Vec<Group> = aside().collect();
    if bars.len() > 3 {
        // A stable sort: ties stay in code order, so that the same model is always drawn the same way.
        bars.sort_by(|left, right| right.share.total_cmp(&left.share));
    }
    if bars.len() <= MOST_BARS {
        return Shown::Bars { bars, rest: None };
    }
    let rest = together(&bars.split_off(MOST_BARS - 1));
    let name = format!("{} other values", rest.codes.len());
    Shown::Bars { bars, rest: Some(Group { first: name.clone(), last: name, ..rest }) }
}

fn together(groups: &[Group]) -> Group {
    let end = |group: Option<&Group>, end: fn(&Group) -> &String| group.map(end).cloned().unwrap_or_default();
    Group {
        first: end(groups.first(), |group| &group.first),
        last: end(groups.last(), |group| &group.last),
        codes: groups.iter().flat_map(|group| &group.codes).copied().collect(),
        share: groups.iter().map(|group| group.share).sum(),
    }
}

/// The end of a bin: real numbers with a few digits, instants to the minute, days without a time.
pub(super) fn in_words(end: Scalar) -> String {
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
        shown(attribute, &shares)
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
        let Shown::Columns { columns, aside } = &shown else { panic!("not columns") };
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
        assert_eq!((bars.len(), bars[0].label().as_str()), (MOST_BARS - 1, "c29"));
        assert_eq!((rest.codes.len(), rest.share, rest.label().as_str()), (15, 105.0, "15 other values"));
    }
}
