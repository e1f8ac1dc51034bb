//! Tables beside the list of columns, side by side where they would meet.

use super::arranged::Line;
use super::ties::{Group, Member, Ties};

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

/// The tables that the list does not show already, short ones nearest to it.
pub(super) fn packed(ties: &Ties, lines: &[Line]) -> Vec<Lane> {
    let mut line_of = vec![0; ties.names.len()];
    for (line, entry) in lines.iter().enumerate() {
        line_of[entry.column] = line;
    }
    let shown = ties.groups.iter().filter(|group| !hangs(group, lines, &line_of) && !is_part(group, ties));
    let mut strips: Vec<Strip> = shown
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
    packed
}

/// Whether it is two columns of which one hangs on the other.
fn hangs(group: &Group, lines: &[Line], line_of: &[usize]) -> bool {
    let [one, other] = group.0[..] else { return false };
    let on = |above: usize, below: usize| lines[line_of[below]].hangs.is_some_and(|hangs| hangs.line == line_of[above]);
    on(one.column, other.column) || on(other.column, one.column)
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
