//! Tables beside the list of columns, side by side where they would meet.

use super::arranged::Line;
use super::ties::{Group, Member, Ties};

/// A list of more columns has so many tables beside it that nobody can follow a line: the weak ones are folded.
const FOLD_BEYOND: usize = 30;
/// Most tables that stay beside such a list.
const MAX_UNFOLDED: usize = 30;
/// Ties below this are weak: fewer than one row in twenty would have to change for the columns to be independent.
const WEAK: f64 = 0.05;

/// A vertical line for each of some tables that do not meet.
pub(super) type Lane = Vec<Strip>;

/// A table: some lines of the list, joined.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Strip {
    /// The lines of its columns, from top to bottom, with what they are in it for.
    pub(super) marks: Vec<(usize, Member)>,
}

impl Strip {
    pub(super) fn top(&self) -> usize {
        self.marks.first().map_or(0, |mark| mark.0)
    }

    pub(super) fn bottom(&self) -> usize {
        self.marks.last().map_or(0, |mark| mark.0)
    }
}

/// Tables that are left out of the picture because they tie columns weakly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Folded {
    /// How many they are.
    pub(super) tables: usize,
    /// The strongest tie among them that no branch shows.
    pub(super) strongest: f64,
}

/// The tables that the list does not show already, short ones nearest to it, and those that are folded, if any are.
pub(super) fn packed(ties: &Ties, lines: &[Line]) -> (Vec<Lane>, Option<Folded>) {
    let mut line_of = vec![0; ties.names.len()];
    for (line, entry) in lines.iter().enumerate() {
        line_of[entry.column] = line;
    }
    let shown = ties.groups.iter().filter(|group| !hangs(group, lines, &line_of) && !is_part(group, ties));
    let (shown, folded) = unfolded(shown.collect(), ties, lines, &line_of);
    let mut strips: Vec<Strip> = shown
        .into_iter()
        .map(|group| {
            let mut marks: Vec<(usize, Member)> =
                group.0.iter().map(|&member| (line_of[member.column], member)).collect();
            marks.sort_unstable();
            Strip { marks }
        })
        .collect();
    strips.sort_by_key(|strip| (strip.bottom() - strip.top(), strip.top(), strip.marks.clone()));
    let mut packed: Vec<Lane> = Vec::new();
    for strip in strips {
        let apart = |other: &Strip| strip.top() > other.bottom() || strip.bottom() < other.top();
        match packed.iter_mut().find(|lane| lane.iter().all(apart)) {
            Some(lane) => lane.push(strip),
            None => packed.push(vec![strip]),
        }
    }
    (packed, folded)
}

/// The tables that stay in the picture.
fn unfolded<'a>(
    mut groups: Vec<&'a Group>,
    ties: &Ties,
    lines: &[Line],
    line_of: &[usize],
) -> (Vec<&'a Group>, Option<Folded>) {
    if lines.len() <= FOLD_BEYOND {
        return (groups, None);
    }
    let strength = |group: &Group| strongest_unshown(group, ties, lines, line_of);
    // A stable sort: the same model always folds the same tables.
    groups.sort_by(|one, other| strength(other).total_cmp(&strength(one)));
    let strong = groups.iter().take(MAX_UNFOLDED).take_while(|group| strength(group) >= WEAK).count();
    let folded = groups.split_off(strong);
    let strongest = folded.first().map(|group| strength(group));
    (groups, strongest.map(|strongest| Folded { tables: folded.len(), strongest }))
}

/// The strongest tie of a table between two columns of which neither hangs on the other.
fn strongest_unshown(group: &Group, ties: &Ties, lines: &[Line], line_of: &[usize]) -> f64 {
    let members = &group.0;
    let pairs =
        members.iter().enumerate().flat_map(|(place, one)| members[..place].iter().map(move |other| (one, other)));
    pairs
        .filter(|(one, other)| !hang_together(one.column, other.column, lines, line_of))
        .map(|(one, other)| ties.strength(one.column, other.column))
        .fold(0.0, f64::max)
}

/// Whether it is two columns of which one hangs on the other.
fn hangs(group: &Group, lines: &[Line], line_of: &[usize]) -> bool {
    let [one, other] = group.0[..] else { return false };
    hang_together(one.column, other.column, lines, line_of)
}

fn hang_together(one: usize, other: usize, lines: &[Line], line_of: &[usize]) -> bool {
    let on = |above: usize, below: usize| lines[line_of[below]].hangs.is_some_and(|hangs| hangs.line == line_of[above]);
    on(one, other) || on(other, one)
}

/// Whether it is part of a larger table, and tells nothing more. What is drawn given what always tells more.
fn is_part(group: &Group, ties: &Ties) -> bool {
    let tells = |own: &Member, other: &Group| {
        other.0.iter().any(|member| member.column == own.column && (member.whole || !own.whole))
    };
    !ties.directed
        && ties
            .groups
            .iter()
            .any(|other| other.0.len() > group.0.len() && group.0.iter().all(|member| tells(member, other)))
}
