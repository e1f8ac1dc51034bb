//! Searches for contradictions between rules and for values that no row can have.

use std::collections::{BTreeMap, BTreeSet};

use super::Rule;
use super::compile::advance;
use crate::domain::Domain;
use crate::domain::clique::AttributeId;

/// Maximum number of rule cells that a search visits before it gives up. The check is for early
/// messages only: the model of a method is exact.
const MAX_SEARCH_CELLS: u64 = 20_000_000;

/// For every column, which of its codes are still possible.
type PossibleCodes = BTreeMap<AttributeId, Vec<bool>>;

/// Checks the rules of a schema together.
pub(super) struct Consistency<'a> {
    domain: &'a Domain,
    rules: &'a [Rule],
}

/// The result of a search.
enum Found {
    /// A row that keeps all rules.
    Row(BTreeMap<AttributeId, u32>),
    /// No such row exists.
    Nothing,
    /// The search gave up.
    Unknown,
}

impl<'a> Consistency<'a> {
    pub(super) fn new(domain: &'a Domain, rules: &'a [Rule]) -> Self {
        Self { domain, rules }
    }

    /// The codes that no row can have, as far as a bounded search finds them.
    ///
    /// # Errors
    /// The indices of a minimal set of contradicting rules.
    pub(super) fn check(&self) -> Result<Vec<(AttributeId, u32)>, Vec<usize>> {
        let mut never = Vec::new();
        let mut cells_left = MAX_SEARCH_CELLS;
        for component in self.components() {
            let mut search = Search { rules: component.clone(), cells_left };
            let Some(impossible) = search.impossible_codes(self.domain) else {
                return Err(self.minimal_conflict(&component));
            };
            never.extend(impossible);
            cells_left = search.cells_left;
        }
        never.sort_unstable();
        Ok(never)
    }

    /// Connected components of rules that share columns.
    fn components(&self) -> Vec<Vec<&'a Rule>> {
        let mut components: Vec<(BTreeSet<AttributeId>, Vec<&Rule>)> = Vec::new();
        for rule in self.rules {
            let columns = rule.clique.attributes();
            let (joined, others) = components
                .into_iter()
                .partition::<Vec<_>, _>(|(held, _)| columns.iter().any(|column| held.contains(column)));
            let mut held: BTreeSet<AttributeId> = columns.iter().copied().collect();
            let mut rules = Vec::new();
            for (columns, of_component) in joined {
                held.extend(columns);
                rules.extend(of_component);
            }
            rules.push(rule);
            components = others;
            components.push((held, rules));
        }
        components.into_iter().map(|(_, rules)| rules).collect()
    }

    /// Removes rules one by one while the others still contradict each other.
    fn minimal_conflict(&self, component: &[&'a Rule]) -> Vec<usize> {
        let mut kept: BTreeSet<usize> = component.iter().map(|rule| rule.written).collect();
        for rule in kept.clone() {
            let rules: Vec<&Rule> = component
                .iter()
                .copied()
                .filter(|other| other.written != rule && kept.contains(&other.written))
                .collect();
            let mut search = Search { rules, cells_left: MAX_SEARCH_CELLS };
            let mut alive = search.all_codes(self.domain);
            if matches!(search.row(&mut alive), Found::Nothing) {
                kept.remove(&rule);
            }
        }
        kept.into_iter().collect()
    }
}

/// A search for rows that keep the rules.
struct Search<'a> {
    rules: Vec<&'a Rule>,
    /// Number of cells that it may still visit.
    cells_left: u64,
}

impl Search<'_> {
    fn all_codes(&self, domain: &Domain) -> PossibleCodes {
        let columns = self.rules.iter().flat_map(|rule| rule.clique.attributes());
        columns.map(|&column| (column, vec![true; domain.size(column) as usize])).collect()
    }

    /// The codes that no row can have; `None` if no row keeps the rules.
    fn impossible_codes(&mut self, domain: &Domain) -> Option<Vec<(AttributeId, u32)>> {
        let mut alive = self.all_codes(domain);
        match self.propagate(&mut alive) {
            Propagated::Empty => return None,
            Propagated::Unknown => return Some(Vec::new()),
            Propagated::Settled => {}
        }
        let mut never: Vec<(AttributeId, u32)> = Vec::new();
        for (&column, codes) in &alive {
            never.extend((0..).zip(codes).filter(|(_, alive)| !**alive).map(|(code, _)| (column, code)));
        }
        if self.is_a_tree(alive.len()) {
            // In a tree, arc consistency is exact: every remaining code is part of a row.
            return Some(never);
        }
        let mut held: BTreeSet<(AttributeId, u32)> = BTreeSet::new();
        for (&column, codes) in &alive {
            let mut is_possible = false;
            for (code, _) in (0_u32..).zip(codes).filter(|(_, alive)| **alive) {
                if held.contains(&(column, code)) {
                    is_possible = true;
                    continue;
                }
                let mut with = alive.clone();
                let fixed = with.get_mut(&column).expect("a column of the rules");
                fixed.fill(false);
                fixed[code as usize] = true;
                match self.row(&mut with) {
                    Found::Row(row) => {
                        is_possible = true;
                        held.extend(row);
                    }
                    Found::Nothing => never.push((column, code)),
                    Found::Unknown => return Some(never),
                }
            }
            if !is_possible {
                return None;
            }
        }
        Some(never)
    }

    /// Whether the graph of rules and columns has no cycle.
    fn is_a_tree(&self, columns: usize) -> bool {
        self.rules.iter().map(|rule| rule.clique.len().saturating_sub(1)).sum::<usize>() < columns
    }

    /// Searches for a row of possible codes.
    fn row(&mut self, alive: &mut PossibleCodes) -> Found {
        match self.propagate(alive) {
            Propagated::Empty => return Found::Nothing,
            Propagated::Unknown => return Found::Unknown,
            Propagated::Settled => {}
        }
        let count = |codes: &[bool]| codes.iter().filter(|alive| **alive).count();
        let open = alive.iter().map(|(&column, codes)| (count(codes), column)).filter(|(count, _)| *count > 1).min();
        let Some((_, column)) = open else {
            let first = |codes: &[bool]| (0..).zip(codes).find(|(_, alive)| **alive).map_or(0, |(code, _)| code);
            return Found::Row(alive.iter().map(|(&column, codes)| (column, first(codes))).collect());
        };
        let codes = alive[&column].clone();
        for (place, _) in codes.iter().enumerate().filter(|(_, alive)| **alive) {
            let mut with = alive.clone();
            let fixed = with.get_mut(&column).expect("a column of the rules");
            fixed.fill(false);
            fixed[place] = true;
            match self.row(&mut with) {
                Found::Nothing => {}
                found => return found,
            }
        }
        Found::Nothing
    }

    /// Removes codes that have no possible cell in some rule, until nothing changes.
    fn propagate(&mut self, alive: &mut PossibleCodes) -> Propagated {
        loop {
            let mut is_settled = true;
            for rule in &self.rules {
                let cells = rule.possible.len() as u64;
                if cells > self.cells_left {
                    return Propagated::Unknown;
                }
                self.cells_left -= cells;
                let mut supported: Vec<Vec<bool>> = rule.sizes.iter().map(|&size| vec![false; size as usize]).collect();
                let columns: Vec<&Vec<bool>> = rule.clique.attributes().iter().map(|column| &alive[column]).collect();
                let mut codes = vec![0_u32; rule.sizes.len()];
                for &possible in &rule.possible {
                    if possible && codes.iter().zip(&columns).all(|(&code, alive)| alive[code as usize]) {
                        for (&code, supported) in codes.iter().zip(&mut supported) {
                            supported[code as usize] = true;
                        }
                    }
                    advance(&mut codes, &rule.sizes);
                }
                for (column, supported) in rule.clique.attributes().iter().zip(supported) {
                    let codes = alive.get_mut(column).expect("a column of the rules");
                    if !supported.contains(&true) {
                        return Propagated::Empty;
                    }
                    // Supported codes are a subset of the possible ones.
                    is_settled &= *codes == supported;
                    *codes = supported;
                }
            }
            if is_settled {
                return Propagated::Settled;
            }
        }
    }
}

/// The result of propagation.
enum Propagated {
    /// Every column has possible codes.
    Settled,
    /// Some column has no possible code.
    Empty,
    /// The search gave up.
    Unknown,
}
