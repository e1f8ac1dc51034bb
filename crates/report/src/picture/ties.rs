//! Ties between the columns of a model.

use std::collections::BTreeMap;

use scumble_mechanisms::{Distribution, Model, NetworkTables};
use scumble_schema::{AttributeId, Clique};

use super::strength;

/// Ties between the columns of a model. Columns are numbered as in the schema.
#[derive(Debug)]
pub(super) struct Ties {
    /// Names of the columns.
    pub(super) names: Vec<String>,
    /// Columns that were counted together, or drawn given each other.
    pub(super) groups: Vec<Group>,
    /// Strength of two columns in a group together, the smaller number first.
    pub(super) strengths: BTreeMap<(usize, usize), f64>,
    /// Whether columns are drawn given others, in the order of the groups.
    pub(super) directed: bool,
    /// Whether the one group stands for all sets of up to three of its columns, whose parities were
    /// measured.
    pub(super) parities: bool,
}

/// Columns that were counted together, or are drawn given each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group(pub(super) Vec<Member>);

/// A column in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    /// Number of the column.
    pub(super) column: usize,
    /// Role in the group.
    pub(super) role: Role,
    /// Whether it is the column itself, and not a coarser level or a digit of it.
    pub(super) whole: bool,
}

/// Role of a column in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Drawn given others.
    Drawn,
    /// Counted or drawn together with others.
    Beside,
    /// Others are drawn given it.
    Given,
}

impl Group {
    /// Whether the group has both columns themselves, not coarser levels or digits of them.
    fn ties_as_they_are(&self, one: usize, other: usize) -> bool {
        let whole = |column| self.0.iter().any(|member| member.column == column && member.whole);
        whole(one) && whole(other)
    }
}

impl Ties {
    pub(super) fn of(model: &Model) -> Self {
        let names = model.schema().attributes().iter().map(|attribute| attribute.name().to_owned()).collect();
        let mut ties = Self { names, groups: Vec::new(), strengths: BTreeMap::new(), directed: false, parities: false };
        match model.distribution() {
            Distribution::Network(network) => ties.add_network(model, network),
            distribution => {
                let parities = model.parity_tables();
                ties.parities = !parities.is_empty();
                let cliques: Vec<Clique> = match distribution {
                    // Rows come from one smoothed table over all columns.
                    Distribution::Rows(_) => vec![Clique::new(model.recoding().domain().attributes())],
                    _ if ties.parities => {
                        vec![Clique::new(parities.iter().flat_map(|table| table.clique.attributes()).copied())]
                    }
                    _ => model.tables().into_iter().map(|table| table.clique).collect(),
                };
                for clique in &cliques {
                    ties.add_group(model, clique.attributes().iter().map(|&column| (column, Role::Beside)));
                }
                let mut pairs: Vec<Clique> = cliques.iter().flat_map(pairs_of).collect();
                pairs.sort_by(|left, right| left.attributes().cmp(right.attributes()));
                pairs.dedup();
                let strengths = match distribution {
                    Distribution::Tree(tree) => strength::in_tree(tree, model.targets(), &pairs),
                    Distribution::Rows(rows) => {
                        let domain = model.recoding().domain();
                        pairs.iter().map(|pair| strength::in_rows(domain, rows, ends(pair))).collect()
                    }
                    _ => vec![0.0; pairs.len()],
                };
                for (pair, strength) in pairs.iter().zip(strengths) {
                    ties.add_strength(model, ends(pair), strength);
                }
            }
        }
        ties
    }

    fn add_network(&mut self, model: &Model, network: &NetworkTables) {
        self.directed = true;
        for (place, pair) in network.model().network().pairs().iter().enumerate() {
            let (children, parents) = (pair.children().attributes(), pair.parents().attributes());
            let role = if parents.is_empty() { Role::Beside } else { Role::Drawn };
            let members = children.iter().map(|&child| (child, role));
            self.add_group(model, members.chain(parents.iter().map(|&parent| (parent, Role::Given))));
            let siblings = pairs_of(pair.children()).map(|siblings| ends(&siblings));
            let across = children.iter().flat_map(|&child| parents.iter().map(move |&parent| [parent, child]));
            for columns in siblings.chain(across) {
                self.add_strength(model, columns, strength::in_network(network, place, columns));
            }
        }
    }

    /// Adds a group in terms of the columns of the schema, unless it is within a single column.
    fn add_group(&mut self, model: &Model, members: impl Iterator<Item = (AttributeId, Role)>) {
        let mut group: BTreeMap<usize, Member> = BTreeMap::new();
        for (own, role) in members {
            let column = model.recoding().of(own).index();
            let whole = model.column_name(own) == self.names[column];
            let member = group.entry(column).or_insert(Member { column, role, whole });
            // A column that is drawn given a coarser level of itself is drawn.
            member.role = member.role.min(role);
            member.whole |= whole;
        }
        let group = Group(group.into_values().collect());
        if group.0.len() > 1 && !self.groups.contains(&group) {
            self.groups.push(group);
        }
    }

    fn add_strength(&mut self, model: &Model, columns: [AttributeId; 2], strength: f64) {
        let [left, right] = columns.map(|column| model.recoding().of(column).index());
        if left != right {
            let held = self.strengths.entry((left.min(right), left.max(right))).or_insert(0.0);
            // Of several levels of a column, the strongest tie counts.
            *held = held.max(strength);
        }
    }

    /// Whether two columns themselves are in a group, and not only coarser levels or digits of
    /// them.
    pub(super) fn as_they_are(&self, one: usize, other: usize) -> bool {
        self.groups.iter().any(|group| group.ties_as_they_are(one, other))
    }

    /// Returns the strength of two columns, or zero if they are in no group together.
    pub(super) fn strength(&self, one: usize, other: usize) -> f64 {
        self.strengths.get(&(one.min(other), one.max(other))).copied().unwrap_or(0.0)
    }
}

/// Iterates over the pairs of columns of a clique.
fn pairs_of(clique: &Clique) -> impl Iterator<Item = Clique> {
    let columns = clique.attributes();
    (0..columns.len())
        .flat_map(move |first| columns[..first].iter().map(move |&other| Clique::new([other, columns[first]])))
}

fn ends(pair: &Clique) -> [AttributeId; 2] {
    [pair.attributes()[0], pair.attributes()[1]]
}
