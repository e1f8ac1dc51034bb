//! Neighbouring attributes taken together as one.

use scumble_schema::{AttributeId, Clique, Domain};

use super::distinct::Distinct;
use super::search::search;
use super::{CoverTable, SHARED_BIT};

/// The attributes that a question is about, in groups.
pub(super) struct Groups {
    members: Vec<Vec<AttributeId>>,
    /// How many cells each group has.
    sizes: Domain,
}

impl Groups {
    /// Groups of neighbours with at most `most` cells each; those with more stand alone. `None` if all do.
    pub(super) fn of(domain: &Domain, wanted: &[Clique], most: u32) -> Option<Self> {
        let mut used = vec![false; domain.len()];
        wanted.iter().flat_map(Clique::attributes).for_each(|attribute| used[attribute.index()] = true);
        let (mut members, mut sizes): (Vec<Vec<AttributeId>>, Vec<u32>) = (vec![], vec![]);
        for attribute in domain.attributes().filter(|attribute| used[attribute.index()]) {
            let size = domain.size(attribute);
            match (members.last_mut(), sizes.last_mut()) {
                (Some(group), Some(cells)) if cells.saturating_mul(size) <= most => {
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

    /// A cover whose tables hold groups as a whole; `None` if so few cliques fall together that nothing is gained.
    pub(super) fn cover(&self, wanted: &Distinct) -> Option<Vec<CoverTable>> {
        let last = self.members.iter().flatten().map(|attribute| attribute.index()).max().unwrap_or(0);
        let mut group_of = vec![AttributeId::new(0); last + 1];
        for (position, group) in self.members.iter().enumerate() {
            for attribute in group {
                group_of[attribute.index()] = AttributeId::new(position);
            }
        }
        let in_groups =
            |clique: &Clique| Clique::new(clique.attributes().iter().map(|member| group_of[member.index()]));
        let grouped = Distinct::of(&wanted.cliques().iter().map(in_groups).collect::<Vec<_>>());
        if 2 * grouped.cliques().len() > wanted.cliques().len() {
            return None;
        }
        let mut tables = search(&self.sizes, &grouped, SHARED_BIT);
        for table in &mut tables {
            let members = table.clique.attributes().iter().flat_map(|group| &self.members[group.index()]);
            table.clique = Clique::new(members.copied());
            table.serves = table.serves.iter().flat_map(|&clique| wanted.asked(clique)).copied().collect();
        }
        Some(tables)
    }
}
