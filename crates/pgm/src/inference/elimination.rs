//! Marginals of any attributes of a tree model, also of attributes that no clique of the tree holds together.
//!
//! What a query needs is the smallest part of the tree that has all its attributes: everything outside sums to one.
//! Inside, every clique has its own marginal, and sends towards one of them what is asked behind it: the marginal of the
//! asked attributes and the separator. At each clique the other attributes are summed out as soon as nothing
//! needs them, in the order that keeps tables small. A query inside a clique is a projection of its marginal.
//!
//! What a clique sends depends only on the attributes asked behind it, so that queries share it, as they share each
//! clique's marginal and its projections.

mod part;
mod plan;
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
use plan::{Key, Layout, Plan, Step};

/// Cells kept of what queries share, in one call: 64 MB. The smallest tables go first, for they are shared most.
const SHARED_CELLS: u128 = 8 << 20;

/// Cells of tables to be gone through below which a second thread costs more than it gives.
const CELLS_WORTH_A_THREAD: u128 = 1 << 17;

/// Cells of a clique from which its projections are made step by step.
const CELLS_WORTH_A_DETOUR: usize = 1 << 12;

impl TreeModel {
    /// The probability of every cell of a clique.
    ///
    /// # Errors
    /// [`ModelError::UnknownAttribute`] when the clique names what the domain lacks, [`ModelError::TooLarge`] when the
    /// table, or one that has to be made on the way, has more cells than a model may have; nothing was allocated then.
    pub fn marginal(&self, clique: &Clique) -> Result<Factor, ModelError> {
        let mut marginals = self.marginals(std::slice::from_ref(clique))?;
        Ok(marginals.pop().expect("one clique, one table"))
    }

    /// The probability of every cell of each of these cliques.
    ///
    /// Work that cliques share is done once, and large work is done by as many threads as there are processors. The
    /// numbers are the same whatever the number of threads.
    ///
    /// # Errors
    /// Those of [`TreeModel::marginal`], for the first clique that has one.
    pub fn marginals(&self, cliques: &[Clique]) -> Result<Vec<Factor>, ModelError> {
        self.marginals_on(cliques, parallel::processors())
    }

    /// The probability of one row: a code for every attribute.
    ///
    /// # Panics
    /// If the row has another length than the domain, or a code that is none.
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

    /// For each of these cliques, how many cells have to be gone through for its table beyond those of the tree's own cliques,
    /// roughly: nothing if one of those holds it, `u128::MAX` if [`TreeModel::marginal`] refuses it.
    pub fn marginal_work(&self, cliques: &[Clique]) -> Vec<u128> {
        let layout = Layout::new(self);
        let own = |step: &Step| self.nodes[step.node].conditional.len() as u128;
        let beyond = |plan: Plan| plan.steps().fold(0, |sum: u128, step| sum.saturating_add(step.work - own(step)));
        cliques.iter().map(|clique| layout.plan(clique).map_or(u128::MAX, beyond)).collect()
    }

    fn marginals_on(&self, cliques: &[Clique], threads: usize) -> Result<Vec<Factor>, ModelError> {
        let layout = Layout::new(self);
        let mut plans = cliques.iter().map(|clique| layout.plan(clique)).collect::<Result<Vec<Plan>, ModelError>>()?;
        let oracle = Oracle::new(self, &mut plans);
        let work = plans.iter().flat_map(Plan::steps).fold(0, |work: u128, step| work.saturating_add(step.work));
        let threads = if work < CELLS_WORTH_A_THREAD { 1 } else { threads };
        let answers =
            parallel::on_numbers(threads, cliques.len(), |index| oracle.answer(&cliques[index], &plans[index]));
        answers.into_iter().collect()
    }
}

/// Tables that more than one query needs.
struct Shared {
    /// For every clique, marginals of some of its attributes.
    restricted: Vec<BTreeMap<Clique, OnceLock<Table>>>,
    /// What cliques send, by the numbers in the steps.
    messages: Vec<OnceLock<Table>>,
}

/// The marginals of a model's cliques, and what queries share.
struct Oracle<'a> {
    model: &'a TreeModel,
    /// For every clique in use and those above it: its marginal, separator first.
    joints: Vec<Option<Table>>,
    /// For the same cliques, the marginal of the separator.
    separators: Vec<Vec<f64>>,
    /// What is shared is filled by whoever needs it first.
    shared: Shared,
}

impl<'a> Oracle<'a> {
    fn new(model: &'a TreeModel, plans: &mut [Plan]) -> Self {
        let shared = Shared::new(model, plans);
        let mut needed = vec![false; model.nodes.len()];
        for step in plans.iter().flat_map(Plan::steps) {
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

    fn answer(&self, clique: &Clique, plan: &Plan) -> Result<Factor, ModelError> {
        let mut whole = Table::one();
        for steps in &plan.parts {
            let part = self.run(steps);
            let both = Clique::new(whole.axes.iter().chain(&part.axes).map(|axis| axis.attribute));
            whole = if whole.axes.is_empty() { part.into_owned() } else { whole.contract(&part, &both) };
        }
        // Attributes of one code are not in the plan, and add no cell.
        let several_codes = |attribute: &AttributeId| self.model.domain.size(*attribute) > 1;
        let order: Vec<AttributeId> = clique.attributes().iter().copied().filter(several_codes).collect();
        Factor::new(&self.model.domain, clique.clone(), whole.into_order(&order))
    }

    /// Takes the steps of one tree, the last of which has the answer.
    fn run(&self, steps: &[Step]) -> Cow<'_, Table> {
        let mut results: Vec<Option<Cow<Table>>> = vec![None; steps.len()];
        let mut taken = vec![false; steps.len()];
        // From the answer backwards: a step is taken when the one it sends to is, and its result is not there yet.
        *taken.last_mut().expect("a part has a step") = true;
        for index in (0..steps.len()).rev() {
            if !taken[index] {
                continue;
            }
            results[index] = steps[index].message.and_then(|slot| self.shared.messages[slot].get()).map(Cow::Borrowed);
            if results[index].is_none() {
                steps[index].factors.iter().for_each(|factor| taken[factor.from] = true);
            }
        }
        for index in 0..steps.len() {
            if taken[index] && results[index].is_none() {
                results[index] = Some(self.take(&steps[index], &mut results));
            }
        }
        results.pop().flatten().expect("the last step was taken")
    }

    /// The marginal of some of a clique's attributes.
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

    /// The marginal of a clique's attributes and those asked behind it: its own, times what was sent to it.
    fn take<'b>(&'b self, step: &Step, results: &mut [Option<Cow<'b, Table>>]) -> Cow<'b, Table> {
        let mut table = self.restricted(step.node, &step.kept);
        for factor in &step.factors {
            let sent = results[factor.from].take().expect("steps come after those they need");
            // The separator is in both, and counts once. Either table is a marginal, so no quotient exceeds one.
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
    /// Finds what several steps need, and numbers the messages among it in the steps.
    fn new(model: &TreeModel, plans: &mut [Plan]) -> Self {
        let mut restricted = vec![BTreeMap::new(); model.nodes.len()];
        if plans.len() < 2 {
            return Self { restricted, messages: Vec::new() };
        }
        let mut uses: BTreeMap<Key, usize> = BTreeMap::new();
        for step in plans.iter().flat_map(Plan::steps) {
            if let Some(key) = step.message_key() {
                *uses.entry(key).or_insert(0) += 1;
            }
            // The second step that needs a table needs what that is made of no more.
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
            if kept > SHARED_CELLS {
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
        for step in plans.iter_mut().flat_map(Plan::steps_mut) {
            step.message = step.message_key().and_then(|key| numbers.get(&key).copied());
        }
        Self { restricted, messages: numbers.iter().map(|_| OnceLock::new()).collect() }
    }
}

/// The next larger part of a clique that a part of it is made from; nothing when it is made from the whole clique.
///
/// Projections of a large clique drop its attributes one by one, the largest first, so that only as many of them as the
/// clique has attributes go through all its cells and the others through what those left.
fn source(model: &TreeModel, node: usize, kept: &Clique) -> Option<Clique> {
    let node = &model.nodes[node];
    if node.conditional.len() < CELLS_WORTH_A_DETOUR {
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
