//! Layout of the columns: each below the one that it is tied to most strongly.

use super::lanes::{self, Folded, Lane};
use super::ties::{Role, Ties};

/// Columns in lines, and tables beside them.
#[derive(Debug)]
pub(super) struct Arranged {
    /// Columns that are tied to others, from top to bottom.
    pub(super) lines: Vec<Line>,
    /// Columns that are tied to no other.
    pub(super) alone: Vec<usize>,
    /// Tables that the lines do not show.
    pub(super) lanes: Vec<Lane>,
    /// Tables that are left out, if there are too many to draw.
    pub(super) folded: Option<Folded>,
}

/// A column in its line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// Number of the column.
    pub(super) column: usize,
    /// Depth in the tree.
    pub(super) depth: usize,
    /// Branch to the column above, if there is one.
    pub(super) hangs: Option<Hangs>,
}

/// Branch from a column to the one above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hangs {
    /// Line of the column above.
    pub(super) line: usize,
    /// Strength of the tie.
    pub(super) strength: f64,
    /// Whether the column is drawn given the one above.
    pub(super) drawn: bool,
    /// Whether the columns themselves are tied, and not only coarser levels of them.
    pub(super) whole: bool,
}

impl Arranged {
    pub(super) fn new(ties: &Ties) -> Self {
        let above = if ties.directed { strongest_parents(ties) } else { strongest_tree(ties) };
        let lines = lines(ties, &above);
        let placed: Vec<usize> = lines.iter().map(|line| line.column).collect();
        let alone = (0..ties.names.len()).filter(|column| !placed.contains(column)).collect();
        let (packed, folded) = lanes::packed(ties, &lines);
        Self { lines, alone, lanes: packed, folded }
    }
}

/// Returns the column above each column of a directed model: of its parents, the one that it is
/// tied to most strongly. Only columns drawn before count, because digits of two columns may be
/// drawn given each other.
fn strongest_parents(ties: &Ties) -> Vec<Option<(usize, bool)>> {
    let mut above = vec![None; ties.names.len()];
    let mut seen = vec![false; ties.names.len()];
    for group in &ties.groups {
        for member in group.0.iter().filter(|member| member.role == Role::Given) {
            seen[member.column] = true;
        }
        for member in group.0.iter().filter(|member| member.role != Role::Given) {
            if !seen[member.column] {
                let before = group.0.iter().filter(|other| other.column != member.column && seen[other.column]);
                above[member.column] =
                    strongest(ties, member.column, before.map(|other| (other.column, member.role == Role::Drawn)));
                seen[member.column] = true;
            }
        }
    }
    above
}

/// Returns the column above each column of an undirected model: the tree of the strongest ties,
/// with the columns of the strongest total ties as roots.
fn strongest_tree(ties: &Ties) -> Vec<Option<(usize, bool)>> {
    let columns = ties.names.len();
    let all: Vec<f64> =
        (0..columns).map(|one| (0..columns).map(|other| ties.strength(one, other)).sum::<f64>()).collect();
    let mut above = vec![None; columns];
    let mut reached = vec![false; columns];
    loop {
        // The strongest tie from a reached column to another. Without one, another tree begins.
        let leaving = ties.strengths.iter().filter(|((left, right), _)| reached[*left] != reached[*right]);
        if let Some((&(left, right), _)) =
            leaving.max_by(|one, other| one.1.total_cmp(other.1).then(other.0.cmp(one.0)))
        {
            let (from, to) = if reached[left] { (left, right) } else { (right, left) };
            above[to] = Some((from, false));
            reached[to] = true;
            continue;
        }
        let has_some = |column: &usize| ties.strengths.keys().any(|(left, right)| left == column || right == column);
        let left = (0..columns).filter(|column| !reached[*column] && has_some(column));
        match left.max_by(|one, other| all[*one].total_cmp(&all[*other]).then(other.cmp(one))) {
            Some(root) => reached[root] = true,
            None => return above,
        }
    }
}

fn strongest(ties: &Ties, column: usize, others: impl Iterator<Item = (usize, bool)>) -> Option<(usize, bool)> {
    others.max_by(|one, other| {
        ties.strength(column, one.0).total_cmp(&ties.strength(column, other.0)).then(other.0.cmp(&one.0))
    })
}

/// Returns the lines of all columns with a branch.
fn lines(ties: &Ties, above: &[Option<(usize, bool)>]) -> Vec<Line> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); above.len()];
    for (column, hangs) in above.iter().enumerate() {
        if let Some((on, _)) = hangs {
            below[*on].push(column);
        }
    }
    let mut sizes = vec![0; above.len()];
    let is_root = |column: &usize| above[*column].is_none() && !below[*column].is_empty();
    let mut roots: Vec<usize> = (0..above.len()).filter(is_root).collect();
    for &root in &roots {
        count_below(root, &below, &mut sizes);
    }
    roots.sort_by_key(|&root| (std::cmp::Reverse(sizes[root]), root));
    // Small subtrees first, so that only the branch to the largest one is long.
    for (column, hanging) in below.iter_mut().enumerate() {
        hanging.sort_by(|&one, &other| {
            let by_strength = ties.strength(column, other).total_cmp(&ties.strength(column, one));
            sizes[one].cmp(&sizes[other]).then(by_strength).then(one.cmp(&other))
        });
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut waiting: Vec<(usize, usize, Option<Hangs>)> = roots.into_iter().rev().map(|root| (root, 0, None)).collect();
    while let Some((column, depth, hangs)) = waiting.pop() {
        let line = lines.len();
        lines.push(Line { column, depth, hangs });
        waiting.extend(below[column].iter().rev().map(|&next| {
            let drawn = above[next].is_some_and(|(_, drawn)| drawn);
            let (strength, whole) = (ties.strength(column, next), ties.as_they_are(column, next));
            (next, depth + 1, Some(Hangs { line, strength, drawn, whole }))
        }));
    }
    lines
}

/// Counts the columns of each subtree, its root included.
fn count_below(root: usize, below: &[Vec<usize>], sizes: &mut [usize]) {
    let mut order = vec![root];
    let mut next = 0;
    while let Some(&column) = order.get(next) {
        order.extend(&below[column]);
        next += 1;
    }
    for column in order.into_iter().rev() {
        sizes[column] = 1 + below[column].iter().map(|&hanging| sizes[hanging]).sum::<usize>();
    }
}
