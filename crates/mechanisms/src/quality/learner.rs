//! A small decision tree, learned from released rows, whose predictions depend on few groups of
//! codes.
//!
//! A vault counts the real rows that it predicts rightly in one table: over the predicted column,
//! and over the groups of codes that the tree distinguishes in each column that it asks about. So
//! the tree stops growing where that table would be too large.

use std::collections::BTreeMap;

use scumble_pgm::parallel;
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain, Recoding, SchemaError, cells};

/// Maximum number of cells of the table of a tree.
const MAX_CELLS: u128 = 1 << 18;
/// Maximum number of leaves.
const MAX_LEAVES: usize = 64;
/// Minimum number of rows of a leaf.
const MIN_LEAF_ROWS: usize = 20;

/// What a tree predicts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal<'a> {
    /// The most frequent code.
    Code,
    /// The mean of the numbers of the codes, where they have one.
    Number(&'a [Option<f64>]),
}

/// A tree over columns of codes.
#[derive(Debug)]
pub(super) struct Tree {
    target: AttributeId,
    nodes: Vec<Node>,
}

#[derive(Debug)]
enum Node {
    /// The predicted code or number.
    Leaf(f64),
    /// Rows whose code in `column` is marked go to the node `marked`, others to `unmarked`.
    Split { column: AttributeId, is_marked: Vec<bool>, marked: usize, unmarked: usize },
}

/// A node that may be split, with its rows.
struct Open {
    node: usize,
    rows: Vec<u32>,
    best: Option<Split>,
}

/// A split, with what it improves.
struct Split {
    column: AttributeId,
    is_marked: Vec<bool>,
    gain: f64,
}

/// Released rows to learn from.
pub(super) struct Rows<'a> {
    pub(super) domain: &'a Domain,
    pub(super) columns: &'a [CodeColumn],
}

impl Tree {
    /// Learns to predict `target` from all other columns.
    pub(super) fn learn(data: &Rows<'_>, target: AttributeId, goal: Goal<'_>) -> Self {
        let has_goal = |row: &u32| match goal {
            Goal::Code => true,
            Goal::Number(numbers) => numbers[data.columns[target.index()].get(*row as usize) as usize].is_some(),
        };
        let all = data.columns.first().map_or(0, CodeColumn::len);
        let rows: Vec<u32> = (0..u32::try_from(all).unwrap_or(u32::MAX)).filter(has_goal).collect();
        let learner = Learner { data, target, goal };
        let mut tree = Self { target, nodes: vec![Node::Leaf(learner.prediction(&rows))] };
        let mut open = vec![Open { node: 0, best: learner.best_split(&rows), rows }];
        let mut leaves = 1;
        // The split that gains most comes first, so that a limit cuts off what matters least.
        while leaves < MAX_LEAVES {
            let gain = |open: &Open| open.best.as_ref().map_or(0.0, |split| split.gain);
            let next = (0..open.len()).max_by(|&one, &other| gain(&open[one]).total_cmp(&gain(&open[other])));
            let Some(next) = next.filter(|&next| gain(&open[next]) > 0.0) else { break };
            let Open { node, rows, best } = open.swap_remove(next);
            let Some(Split { column, is_marked, .. }) = best else { break };
            if tree.cells_with(data.domain, column, &is_marked) > MAX_CELLS {
                continue;
            }
            let codes = &data.columns[column.index()];
            let (marked, unmarked): (Vec<u32>, Vec<u32>) =
                rows.into_iter().partition(|&row| is_marked[codes.get(row as usize) as usize]);
            let places = [tree.nodes.len(), tree.nodes.len() + 1];
            tree.nodes[node] = Node::Split { column, is_marked, marked: places[0], unmarked: places[1] };
            for (node, rows) in places.into_iter().zip([marked, unmarked]) {
                tree.nodes.push(Node::Leaf(learner.prediction(&rows)));
                open.push(Open { node, best: learner.best_split(&rows), rows });
            }
            leaves += 1;
        }
        tree
    }

    /// Returns the groups of codes that the tree distinguishes, by the columns that it asks about.
    fn groups(&self, domain: &Domain, more: Option<(AttributeId, &[bool])>) -> BTreeMap<AttributeId, Vec<u32>> {
        let mut marks: BTreeMap<AttributeId, Vec<&[bool]>> = BTreeMap::new();
        for node in &self.nodes {
            if let Node::Split { column, is_marked, .. } = node {
                marks.entry(*column).or_default().push(is_marked);
            }
        }
        if let Some((column, is_marked)) = more {
            marks.entry(column).or_default().push(is_marked);
        }
        let grouped = |(column, marks): (AttributeId, Vec<&[bool]>)| {
            let mut numbers: BTreeMap<Vec<bool>, u32> = BTreeMap::new();
            let group = |code: usize| {
                let next = u32::try_from(numbers.len()).expect("fewer groups than codes");
                *numbers.entry(marks.iter().map(|marks| marks[code]).collect()).or_insert(next)
            };
            (column, (0..domain.size(column) as usize).map(group).collect())
        };
        marks.into_iter().map(grouped).collect()
    }

    /// Returns the number of cells of the table of the tree, with one more split.
    fn cells_with(&self, domain: &Domain, column: AttributeId, is_marked: &[bool]) -> u128 {
        let groups = self.groups(domain, Some((column, is_marked)));
        let number = |groups: &Vec<u32>| u128::from(groups.iter().max().map_or(1, |last| last + 1));
        groups.values().map(number).product::<u128>() * u128::from(domain.size(self.target))
    }

    /// Returns a recoding, the columns of it that the table of the tree is over, and the prediction
    /// and the code of the target in every cell of that table.
    pub(super) fn table(&self, domain: &Domain) -> Result<TreeTable, SchemaError> {
        let groups: Vec<(AttributeId, Vec<u32>)> = self.groups(domain, None).into_iter().collect();
        let recoding = Recoding::with_groups(domain, groups.clone())?;
        // A code that stands for each group: predictions are the same for all of them.
        let of_group = |groups: &Vec<u32>| {
            let mut codes: BTreeMap<u32, u32> = BTreeMap::new();
            for (code, &group) in (0..).zip(groups) {
                codes.entry(group).or_insert(code);
            }
            codes
        };
        let first = domain.len();
        let asked: BTreeMap<AttributeId, (AttributeId, BTreeMap<u32, u32>)> = (first..)
            .zip(&groups)
            .map(|(place, (column, groups))| (AttributeId::new(place), (*column, of_group(groups))))
            .collect();
        let clique = Clique::new(asked.keys().copied().chain([self.target]));
        let strides = cells::strides(recoding.domain(), &clique);
        let cell_count = recoding.domain().table_len(&clique)?;
        let cell = |cell: usize| {
            let mut codes: BTreeMap<AttributeId, u32> = BTreeMap::new();
            let mut target = 0;
            for (&column, stride) in clique.attributes().iter().zip(&strides) {
                let code = u32::try_from(cell / stride % recoding.domain().size(column) as usize);
                let code = code.expect("below the number of codes");
                match asked.get(&column) {
                    Some((of, representatives)) => {
                        codes.insert(*of, representatives[&code]);
                    }
                    None => target = code,
                }
            }
            (self.predict(|column| codes[&column]), target)
        };
        let predicted = (0..cell_count).map(cell).collect();
        Ok(TreeTable { recoding, clique, predicted })
    }

    /// Predicts the target of a row from its codes.
    fn predict(&self, code: impl Fn(AttributeId) -> u32) -> f64 {
        let mut node = 0;
        loop {
            match &self.nodes[node] {
                Node::Leaf(prediction) => return *prediction,
                Node::Split { column, is_marked, marked, unmarked } => {
                    node = if is_marked[code(*column) as usize] { *marked } else { *unmarked };
                }
            }
        }
    }
}

/// The table in which a vault counts what a tree predicts.
pub(super) struct TreeTable {
    pub(super) recoding: Recoding,
    pub(super) clique: Clique,
    /// For every cell, the prediction and the code of the target.
    pub(super) predicted: Vec<(f64, u32)>,
}

/// How a tree is learned.
struct Learner<'a> {
    data: &'a Rows<'a>,
    target: AttributeId,
    goal: Goal<'a>,
}

/// Sums of the rows with one code of a column.
#[derive(Clone, Default)]
struct Sums {
    rows: f64,
    /// Numbers of rows by code of the target, or the sum of its numbers.
    of: Vec<f64>,
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.of.iter_mut().zip(&other.of).for_each(|(sum, more)| *sum += more);
    }

    /// What these rows contribute to the fit, up to a constant: the larger, the purer.
    fn purity(&self) -> f64 {
        if self.rows > 0.0 { self.of.iter().map(|sum| sum * sum).sum::<f64>() / self.rows } else { 0.0 }
    }
}

impl Learner<'_> {
    fn empty(&self) -> Sums {
        let length = match self.goal {
            Goal::Code => self.data.domain.size(self.target) as usize,
            Goal::Number(_) => 1,
        };
        Sums { rows: 0.0, of: vec![0.0; length] }
    }

    fn count(&self, sums: &mut Sums, row: u32) {
        let code = self.data.columns[self.target.index()].get(row as usize) as usize;
        sums.rows += 1.0;
        match self.goal {
            Goal::Code => sums.of[code] += 1.0,
            Goal::Number(numbers) => sums.of[0] += numbers[code].unwrap_or(0.0),
        }
    }

    fn prediction(&self, rows: &[u32]) -> f64 {
        let mut sums = self.empty();
        for &row in rows {
            self.count(&mut sums, row);
        }
        match self.goal {
            Goal::Code => most_frequent(&sums.of) as f64,
            Goal::Number(_) => sums.of[0] / sums.rows.max(1.0),
        }
    }

    /// Returns the best split of some rows, over all columns.
    fn best_split(&self, rows: &[u32]) -> Option<Split> {
        if rows.len() < 2 * MIN_LEAF_ROWS {
            return None;
        }
        let columns: Vec<AttributeId> = self.data.domain.attributes().filter(|&column| column != self.target).collect();
        let splits = parallel::map(&columns, |&column| self.best_split_of(column, rows));
        splits.into_iter().flatten().max_by(|one, other| one.gain.total_cmp(&other.gain))
    }

    /// Returns the best split by a column: its codes are ordered by the share of the most frequent
    /// code of the target, or by its mean, which is optimal for two codes and for numbers.
    fn best_split_of(&self, column: AttributeId, rows: &[u32]) -> Option<Split> {
        let codes = &self.data.columns[column.index()];
        let mut by_code = vec![self.empty(); self.data.domain.size(column) as usize];
        for &row in rows {
            self.count(&mut by_code[codes.get(row as usize) as usize], row);
        }
        let mut all = self.empty();
        for sums in &by_code {
            all.add(sums);
        }
        let key = most_frequent(&all.of);
        let mut present: Vec<usize> = (0..by_code.len()).filter(|&code| by_code[code].rows > 0.0).collect();
        let share = |code: usize| by_code[code].of[key] / by_code[code].rows;
        present.sort_by(|&one, &other| share(one).total_cmp(&share(other)));
        let (mut left, mut best) = (self.empty(), None::<(f64, usize)>);
        for (place, &code) in present.iter().enumerate() {
            left.add(&by_code[code]);
            let mut right = all.clone();
            right.rows -= left.rows;
            right.of.iter_mut().zip(&left.of).for_each(|(sum, less)| *sum -= less);
            if left.rows.min(right.rows) < MIN_LEAF_ROWS as f64 {
                continue;
            }
            let gain = left.purity() + right.purity() - all.purity();
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, place));
            }
        }
        // Gains that rounding makes are none.
        let (gain, place) = best.filter(|(gain, _)| *gain > 1e-9 * all.purity())?;
        let mut is_marked = vec![false; by_code.len()];
        present[..=place].iter().for_each(|&code| is_marked[code] = true);
        Some(Split { column, is_marked, gain })
    }
}

/// Returns the place of the largest number.
fn most_frequent(numbers: &[f64]) -> usize {
    (0..numbers.len()).max_by(|&one, &other| numbers[one].total_cmp(&numbers[other])).unwrap_or(0)
}
