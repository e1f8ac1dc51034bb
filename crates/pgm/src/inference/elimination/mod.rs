//! Marginals of any attributes of a tree model, including attributes of different cliques.
//!
//! A query needs the smallest subtree that holds all its attributes: everything outside sums to
//! one. Inside, every clique starts with its own marginal, and messages flow towards one clique,
//! the root. A message is the marginal of the separator and the queried attributes behind it. Each
//! clique sums out its other attributes as soon as nothing needs them, in the order that keeps
//! tables small. A query inside a clique is a projection of its marginal.
//!
//! A message depends only on the queried attributes behind it, so queries share messages, as they
//! share each clique's marginal and its projections.

mod plan;
mod query_tree;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use scumble_schema::{AttributeId, Clique};

use crate::error::ModelError;
use crate::parallel;
use crate::table::contraction::Table;
use crate::table::factor::Factor;
use crate::table::projection::Axis;
use crate::tree::tree_model::TreeModel;
use plan::{Key, Layout, QueryPlan, Step};

/// Most cells of tables that the queries of one call share: 64 MB. The smallest tables go first,
/// because most queries share them.
const MAX_SHARED_CELLS: u128 = 8 << 20;

/// Fewest cells to go through for which a second thread saves time.
const MIN_PARALLEL_CELLS: u128 = 1 << 17;

/// Fewest cells of a clique whose projections are made step by step.
const MIN_STEPWISE_CELLS: usize = 1 << 12;

impl TreeModel {
    /// Returns the probability of every cell of a clique.
    ///
    /// # Errors
    /// [`ModelError::UnknownAttribute`] if the clique names an attribute that the domain lacks,
    /// [`ModelError::TooLarge`] if the table or an intermediate one has more cells than a model may
    /// have, before anything is allocated.
    pub fn marginal(&self, clique: &Clique) -> Result<Factor, ModelError> {
        let mut marginals = self.marginals(std::slice::from_ref(clique))?;
        Ok(marginals.pop().expect("one clique, one table"))
    }

    /// Returns the probability of every cell of each of these cliques.
    ///
    /// Work that cliques share is done once, and large work runs on all processors. The numbers do
    /// not depend on the number of threads.
    ///
    /// # Errors
    /// Those of [`TreeModel::marginal`], for the first clique that has one.
    pub fn marginals(&self, cliques: &[Clique]) -> Result<Vec<Factor>, ModelError> {
        self.marginals_on(cliques, parallel::processors())
    }

    /// Returns the probability of one row: a code for every attribute.
    ///
    /// # Panics
    /// If the row does not have one valid code per attribute of the domain.
    pub fn probability(&self, row: &[u32]) -> f64 {
        assert_eq!(row.len(), self.domain.len(), "a row has a code for every attribute");
        let cell = |clique: &Clique| {
            clique.attributes().iter().fold(0, |cell, &attribute| {
                let (code, size) = (row[attribute.index()], self.domain.size(attribute));
                assert!(code < size, "a code is less than its attribute's size");
                cell * size as usize + code as usize
            })
        };
        let size = |clique: &Clique| self.domain.cells(clique);
        let probability = |node: &crate::Node| {
            let columns = usize::try_from(size(&node.residual)).expect("the conditional is in memory");
            node.conditional[cell(&node.separator) * columns + cell(&node.residual)]
        };
        self.nodes.iter().map(probability).product()
    }

    /// Returns for each clique about how many cells [`TreeModel::marginal`] goes through beyond
    /// those of the tree's own cliques: zero if one of them holds it, `u128::MAX` if `marginal`
    /// refuses it.
    pub fn marginal_work(&self, cliques: &[Clique]) -> Vec<u128> {
        let layout = Layout::new(self);
        let own = |step: &Step| self.nodes[step.node].conditional.len() as u128;
        let beyond =
            |plan: QueryPlan| plan.steps().fold(0, |sum: u128, step| sum.saturating_add(step.work - own(step)));
        cliques.iter().map(|clique| layout.plan(clique).map_or(u128::MAX, beyond)).collect()
    }

    fn marginals_on(&self, cliques: &[Clique], threads: usize) -> Result<Vec<Factor>, ModelError> {
        let layout = Layout::new(self);
        let mut plans =
            cliques.iter().map(|clique| layout.plan(clique)).collect::<Result<Vec<QueryPlan>, ModelError>>()?;
        let oracle = Oracle::new(self, &mut plans);
        let work = plans.iter().flat_map(QueryPlan::steps).fold(0, |work: u128, step| work.saturating_add(step.work));
        let threads = if work < MIN_PARALLEL_CELLS { 1 } else { threads };
        let queries = cliques.iter().zip(&plans);
        parallel::map_on(threads, queries, |(clique, plan)| oracle.answer(clique, plan)).into_iter().collect()
    }
}

/// Tables that more than one query needs. The first query that needs one fills it.
struct Shared {
    /// For every clique, marginals of subsets of its attributes.
    restricted: Vec<BTreeMap<Clique, OnceLock<Table>>>,
    /// Messages, by the numbers in the steps.
    messages: Vec<OnceLock<Table>>,
}

/// The marginals of a model's cliques, and the tables that queries share.
struct Oracle<'a> {
    model: &'a TreeModel,
    /// The marginal of every clique in use and of its ancestors, separator first.
    joints: Vec<Option<Table>>,
    /// The marginals of those cliques' separators.
    separators: Vec<Vec<f64>>,
    shared: Shared,
}

impl<'a> Oracle<'a> {
    fn new(model: &'a TreeModel, plans: &mut [QueryPlan]) -> Self {
        let shared = Shared::new(model, plans);
        let mut needed = vec![false; model.nodes.len()];
        for step in plans.iter().flat_map(QueryPlan::steps) {
            needed[step.node] = true;
        }
        for index in (0..needed.len()).rev() {
            if let (true, Some(parent)) = (needed[index], model.nodes[index].parent) {
                needed[parent] = true;
            }
        }
        let mut joints: Vec<Option<Table>> = vec![None; needed.len()];
        let mut separators = vec![Vec::new(); needed.len()];
        for (index, node) in model.nodes.iter().enumerate().filter(|(index, _)| needed[*index]) {
            separators[index] = match node.parent.and_then(|parent| joints[parent].as_ref()) {
                Some(parent) => parent.project(&node.separator).values,
                None => vec![1.0],
            };
            let attributes = node.separator.attributes().iter().chain(node.residual.attributes());
            let axes = Axis::list(&model.domain, attributes);
            let columns = node.conditional.len() / separators[index].len();
            let rows = node.conditional.chunks_exact(columns).zip(&separators[index]);
            let values = rows.flat_map(|(row, probability)| row.iter().map(move |value| value * probability)).collect();
            joints[index] = Some(Table { axes, values });
        }
        Self { model, joints, separators, shared }
    }

    fn answer(&self, clique: &Clique, plan: &QueryPlan) -> Result<Factor, ModelError> {
        let mut whole = Table::one();
        for steps in &plan.trees {
            let tree = self.run(steps);
            let both = Clique::new(whole.axes.iter().chain(&tree.axes).map(|axis| axis.attribute));
            whole = if whole.axes.is_empty() { tree.into_owned() } else { whole.contract(&tree, &both) };
        }
        // Attributes of one code are not in the plan, and add no cells.
        let several_codes = |attribute: &AttributeId| self.model.domain.size(*attribute) > 1;
        let order: Vec<AttributeId> = clique.attributes().iter().copied().filter(several_codes).collect();
        Factor::new(&self.model.domain, clique.clone(), whole.into_order(&order))
    }

    /// Executes the steps of one tree, the last of which has the answer.
    fn run(&self, steps: &[Step]) -> Cow<'_, Table> {
        let mut results: Vec<Option<Cow<Table>>> = vec![None; steps.len()];
        let mut needed = vec![false; steps.len()];
        // From the answer backwards: a step is needed if the step it sends to is, and its result is
        // not there yet.
        *needed.last_mut().expect("a tree has a step") = true;
        for index in (0..steps.len()).rev() {
            if !needed[index] {
                continue;
            }
            results[index] = steps[index].message.and_then(|slot| self.shared.messages[slot].get()).map(Cow::Borrowed);
            if results[index].is_none() {
                steps[index].factors.iter().for_each(|factor| needed[factor.from] = true);
            }
        }
        for index in 0..steps.len() {
            if needed[index] && results[index].is_none() {
                results[index] = Some(self.execute(&steps[index], &mut results));
            }
        }
        results.pop().flatten().expect("the last step is needed")
    }

    /// Returns the marginal of some of a clique's attributes.
    fn restricted(&self, node: usize, kept: &Clique) -> Cow<'_, Table> {
        let make = || match source(self.model, node, kept) {
            Some(source) => self.restricted(node, &source).project(kept),
            None => self.joints[node].as_ref().expect("a clique in use").project(kept),
        };
        match self.shared.restricted[node].get(kept) {
            Some(slot) => Cow::Borrowed(slot.get_or_init(make)),
            None => Cow::Owned(make()),
        }
    }

    /// Returns the marginal of a clique's attributes and the queried ones behind it: its own
    /// marginal times the messages to it.
    fn execute<'b>(&'b self, step: &Step, results: &mut [Option<Cow<'b, Table>>]) -> Cow<'b, Table> {
        let mut table = self.restricted(step.node, &step.kept);
        for factor in &step.factors {
            let sent = results[factor.from].take().expect("steps come after those they need");
            // The separator is in both tables, and must count once. Both are marginals, so no
            // quotient exceeds one.
            let separator = &self.model.nodes[factor.along].separator;
            let divisors = &self.separators[factor.along];
            table = Cow::Owned(if table.values.len() <= sent.values.len() {
                table.divided(separator, divisors).contract(&sent, &factor.left)
            } else {
                table.contract(&sent.divided(separator, divisors), &factor.left)
            });
        }
        match (step.message, table) {
            (Some(slot), Cow::Owned(table)) => Cow::Borrowed(self.shared.messages[slot].get_or_init(|| table)),
            (_, table) => table,
        }
    }
}

impl Shared {
    /// Finds the tables that several steps need, and numbers the messages among them in the steps.
    fn new(model: &TreeModel, plans: &mut [QueryPlan]) -> Self {
        let mut restricted = vec![BTreeMap::new(); model.nodes.len()];
        if plans.len() < 2 {
            return Self { restricted, messages: Vec::new() };
        }
        let mut uses: BTreeMap<Key, usize> = BTreeMap::new();
        for step in plans.iter().flat_map(QueryPlan::steps) {
            if let Some(key) = step.message_key() {
                *uses.entry(key).or_insert(0) += 1;
            }
            // Only the first step that needs a table needs its sources.
            let mut next = Some(step.kept.clone());
            while let Some(kept) = next {
                let uses = uses.entry(Key::Restricted(step.node, kept.clone())).or_insert(0);
                *uses += 1;
                next = if *uses == 1 { source(model, step.node, &kept) } else { None };
            }
        }
        let several = uses.into_iter().filter(|(_, uses)| *uses > 1);
        let mut several: Vec<(u128, Key)> = several.map(|(key, _)| (key.cells(&model.domain), key)).collect();
        several.sort();
        let mut kept = 0;
        let mut numbers = BTreeMap::new();
        for (cells, key) in several {
            kept += cells;
            if kept > MAX_SHARED_CELLS {
                break;
            }
            match key {
                Key::Restricted(node, clique) => {
                    restricted[node].insert(clique, OnceLock::new());
                }
                Key::Message(..) => {
                    numbers.insert(key, numbers.len());
                }
            }
        }
        for step in plans.iter_mut().flat_map(QueryPlan::steps_mut) {
            step.message = step.message_key().and_then(|key| numbers.get(&key).copied());
        }
        Self { restricted, messages: numbers.iter().map(|_| OnceLock::new()).collect() }
    }
}

/// Returns the next larger subset of a clique that the marginal of `kept` is made from, or `None`
/// if it is made from the whole clique.
///
/// Projections of a large clique drop its attributes one by one, the largest first. So at most one
/// projection per attribute goes through all cells of the clique.
fn source(model: &TreeModel, node: usize, kept: &Clique) -> Option<Clique> {
    let node = &model.nodes[node];
    if node.conditional.len() < MIN_STEPWISE_CELLS {
        return None;
    }
    let attributes = || node.separator.attributes().iter().chain(node.residual.attributes()).copied();
    let size = |attribute: AttributeId| model.domain.size(attribute);
    let dropped = attributes().filter(|attribute| size(*attribute) > 1 && !kept.has(*attribute));
    let mut dropped: Vec<AttributeId> = dropped.collect();
    if dropped.len() < 2 {
        return None;
    }
    dropped.sort_by_key(|&attribute| (size(attribute), attribute));
    Some(Clique::new(kept.attributes().iter().copied().chain([dropped[0]])))
}
