//! Whether rules can be kept together, and by which values.

use std::collections::{BTreeMap, BTreeSet};

use super::Rule;
use super::compile::advance;
use crate::clique::AttributeId;
use crate::domain::Domain;

/// Cells of rules that a search looks at before it gives up. What it has not found out by then, the model of a method does, which is
/// exact: this is for telling people early.
const MOST_LOOKED_AT: u64 = 20_000_000;

/// Which codes of each column are still possible.
type Alive = BTreeMap<AttributeId, Vec<bool>>;

/// The rules of a schema, looked at together.
pub(super) struct Consistency<'a> {
    domain: &'a Domain,
    rules: &'a [Rule],
}

/// What became of a search.
enum Found {
    /// A code for every column.
    Row(BTreeMap<AttributeId, u32>),
    /// There is none.
    Nothing,
    /// It gave up.
    Unknown,
}

impl<'a> Consistency<'a> {
    pub(super) fn new(domain: &'a Domain, rules: &'a [Rule]) -> Self {
        Self { domain, rules }
    }

    /// The codes that no row can have, as far as a search of some length finds out.
    ///
    /// # Errors
    /// The places of rules, as written, that cannot be kept together, of which none can be left out.
    pub(super) fn check(&self) -> Result<Vec<(AttributeId, u32)>, Vec<usize>> {
        let mut never = Vec::new();
        let mut left = MOST_LOOKED_AT;
        for part in self.parts() {
            let mut search = Search { rules: part.clone(), left };
            let Some(never_here) = search.never(self.domain) else { return Err(self.smallest(&part)) };
            never.extend(never_here);
            left = search.left;
        }
        never.sort_unstable();
        Ok(never)
    }

    /// Rules that share columns, directly or through others, are in one part.
    fn parts(&self) -> Vec<Vec<&'a Rule>> {
        let mut parts: Vec<(BTreeSet<AttributeId>, Vec<&Rule>)> = Vec::new();
        for rule in self.rules {
            let columns = rule.clique.attributes();
            let (joined, apart) = parts
                .into_iter()
                .partition::<Vec<_>, _>(|(held, _)| columns.iter().any(|column| held.contains(column)));
            let mut held: BTreeSet<AttributeId> = columns.iter().copied().collect();
            let mut rules = Vec::new();
            for (columns, of_part) in joined {
                held.extend(columns);
                rules.extend(of_part);
            }
            rules.push(rule);
            parts = apart;
            parts.push((held, rules));
        }
        parts.into_iter().map(|(_, rules)| rules).collect()
    }

    /// Leaves out rules, as written, one by one, for as long as those that are left cannot be kept together.
    fn smallest(&self, part: &[&'a Rule]) -> Vec<usize> {
        let mut kept: BTreeSet<usize> = part.iter().map(|rule| rule.written).collect();
        for rule in kept.clone() {
            let rules: Vec<&Rule> =
                part.iter().copied().filter(|other| other.written != rule && kept.contains(&other.written)).collect();
            let mut search = Search { rules, left: MOST_LOOKED_AT };
            let mut alive = search.all(self.domain);
            if matches!(search.row(&mut alive), Found::Nothing) {
                kept.remove(&rule);
            }
        }
        kept.into_iter().collect()
    }
}

/// A search for rows that keep some rules.
struct Search<'a> {
    rules: Vec<&'a Rule>,
    /// Cells that it may still look at.
    left: u64,
}

impl Search<'_> {
    fn all(&self, domain: &Domain) -> Alive {
        let columns = self.rules.iter().flat_map(|rule| rule.clique.attributes());
        columns.map(|&column| (column, vec![true; domain.size(column) as usize])).collect()
    }

    /// The codes that no row has; `None` if there is no row.
    fn never(&mut self, domain: &Domain) -> Option<Vec<(AttributeId, u32)>> {
        let mut alive = self.all(domain);
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
            // Then every code that is left is part of a row.
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

    /// Whether no circle of rules and columns leads back to where it began.
    fn is_a_tree(&self, columns: usize) -> bool {
        self.rules.iter().map(|rule| rule.clique.len().saturating_sub(1)).sum::<usize>() < columns
    }

    /// A row of codes that are alive.
    fn row(&mut self, alive: &mut Alive) -> Found {
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

    /// Strikes out every code that some rule leaves no cell for, until nothing changes.
    fn propagate(&mut self, alive: &mut Alive) -> Propagated {
        loop {
            let mut is_settled = true;
            for rule in &self.rules {
                let cells = rule.possible.len() as u64;
                if cells > self.left {
                    return Propagated::Unknown;
                }
                self.left -= cells;
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
                    // What is supported is alive.
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

/// What striking out codes came to.
enum Propagated {
    /// Every column has codes left.
    Settled,
    /// Some column has none.
    Empty,
    /// It gave up.
    Unknown,
}
