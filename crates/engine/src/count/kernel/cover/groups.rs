//! Groups of neighbouring attributes that are treated as one.

use scumble_schema::{AttributeId, Clique, Domain};

use super::distinct::Distinct;
use super::search::search;
use super::{CoverTable, SHARED_BIT};

/// The attributes of a query, in groups.
pub(super) struct Groups {
    members: Vec<Vec<AttributeId>>,
    /// Number of cells of each group.
    sizes: Domain,
}

impl Groups {
    /// Groups neighbouring attributes up to `max_cells` cells per group; larger attributes stay
    /// alone. `None` if every group has a single attribute.
    pub(super) fn of(domain: &Domain, cliques: &[Clique], max_cells: u32) -> Option<Self> {
        let mut used = vec![false; domain.len()];
        cliques.iter().flat_map(Clique::attributes).for_each(|attribute| used[attribute.index()] = true);
        let (mut members, mut sizes): (Vec<Vec<AttributeId>>, Vec<u32>) = (vec![], vec![]);
        for attribute in domain.attributes().filter(|attribute| used[attribute.index()]) {
            let size = domain.size(attribute);
            match (members.last_mut(), sizes.last_mut()) {
                (Some(group), Some(cells)) if cells.saturating_mul(size) <= max_cells => {
                    group.push(attribute);
                    *cells *= size;
                }
                _ => {
                    members.push(vec![attribute]);
                    sizes.push(size);
                }
            }
        }
        let sizes = Domain::new(sizes).ok()?;
        members.iter().any(|group| group.len() > 1).then_some(Self { members, sizes })
    }

    /// Returns a cover whose tables hold whole groups; `None` if grouping merges too few cliques to
    /// gain anything.
    pub(super) fn cover(&self, query: &Distinct) -> Option<Vec<CoverTable>> {
        let last = self.members.iter().flatten().map(|attribute| attribute.index()).max().unwrap_or(0);
        let mut group_of = vec![AttributeId::new(0); last + 1];
        for (position, group) in self.members.iter().enumerate() {
            for attribute in group {
                group_of[attribute.index()] = AttributeId::new(position);
            }
        }
        let in_groups =
            |clique: &Clique| Clique::new(clique.attributes().iter().map(|member| group_of[member.index()]));
        let grouped = Distinct::of(&query.cliques().iter().map(in_groups).collect::<Vec<_>>());
        if 2 * grouped.cliques().len() > query.cliques().len() {
            return None;
        }
        let mut tables = search(&self.sizes, &grouped, SHARED_BIT);
        for table in &mut tables {
            let members = table.clique.attributes().iter().flat_map(|group| &self.members[group.index()]);
            table.clique = Clique::new(members.copied());
            table.serves = table.serves.iter().flat_map(|&clique| query.positions_of(clique)).copied().collect();
        }
        Some(tables)
    }
}
