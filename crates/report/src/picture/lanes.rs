//! Layout of the tables beside the list of columns, in lanes without overlaps.

use super::arranged::Line;
use super::ties::{Group, Member, Ties};

/// Maximum number of columns for which all tables are drawn. With more, weak tables are folded,
/// because the picture would be unreadable.
const MAX_UNFOLDED_COLUMNS: usize = 30;
/// Maximum number of tables that are drawn beside a longer list.
const MAX_UNFOLDED_TABLES: usize = 30;
/// Strength below which a tie is weak: fewer than one row in twenty would have to change for the
/// columns to be independent.
const WEAK: f64 = 0.05;

/// Tables in one vertical line, without overlaps.
pub(super) type Lane = Vec<Strip>;

/// A table: a vertical line that joins lines of the list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Strip {
    /// Lines of its columns with their members, from top to bottom.
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

/// Tables that are not drawn, because their ties are weak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Folded {
    /// Number of tables.
    pub(super) tables: usize,
    /// Strongest of their ties that no branch shows.
    pub(super) strongest: f64,
}

/// Returns the lanes of the tables that the list does not show, short ones nearest to it, and the
/// folded tables, if any.
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

/// Splits tables into those that are drawn and those that are folded.
fn unfolded<'a>(
    mut groups: Vec<&'a Group>,
    ties: &Ties,
    lines: &[Line],
    line_of: &[usize],
) -> (Vec<&'a Group>, Option<Folded>) {
    if lines.len() <= MAX_UNFOLDED_COLUMNS {
        return (groups, None);
    }
    let strength = |group: &Group| strongest_unshown(group, ties, lines, line_of);
    // A stable sort, so that the picture of a model is reproducible.
    groups.sort_by(|one, other| strength(other).total_cmp(&strength(one)));
    let strong = groups.iter().take(MAX_UNFOLDED_TABLES).take_while(|group| strength(group) >= WEAK).count();
    let folded = groups.split_off(strong);
    let strongest = folded.first().map(|group| strength(group));
    (groups, strongest.map(|strongest| Folded { tables: folded.len(), strongest }))
}

/// Returns the strongest tie of a table between two columns without a branch.
fn strongest_unshown(group: &Group, ties: &Ties, lines: &[Line], line_of: &[usize]) -> f64 {
    let members = &group.0;
    let pairs =
        members.iter().enumerate().flat_map(|(place, one)| members[..place].iter().map(move |other| (one, other)));
    pairs
        .filter(|(one, other)| !hang_together(one.column, other.column, lines, line_of))
        .map(|(one, other)| ties.strength(one.column, other.column))
        .fold(0.0, f64::max)
}

/// Whether a table has two columns with a branch between them.
fn hangs(group: &Group, lines: &[Line], line_of: &[usize]) -> bool {
    let [one, other] = group.0[..] else { return false };
    hang_together(one.column, other.column, lines, line_of)
}

fn hang_together(one: usize, other: usize, lines: &[Line], line_of: &[usize]) -> bool {
    let on = |above: usize, below: usize| lines[line_of[below]].hangs.is_some_and(|hangs| hangs.line == line_of[above]);
    on(one, other) || on(other, one)
}

/// Whether a table is contained in a larger one. Directed tables always count, because they show
/// what is drawn given what.
fn is_part(group: &Group, ties: &Ties) -> bool {
    let covers = |own: &Member, other: &Group| {
        other.0.iter().any(|member| member.column == own.column && (member.whole || !own.whole))
    };
    !ties.directed
        && ties
            .groups
            .iter()
            .any(|other| other.0.len() > group.0.len() && group.0.iter().all(|member| covers(member, other)))
}
