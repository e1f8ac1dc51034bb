//! Coarser versions of an attribute, as separate attributes.

use scumble_schema::{AttributeId, Clique, Domain};

use crate::error::ModelError;

/// One step up a hierarchy: the coarser code of every code of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coarsening {
    fine: AttributeId,
    coarse: AttributeId,
    groups: Box<[u32]>,
}

impl Coarsening {
    /// Makes a step in which `groups[code]` is the code of `coarse` for `code` of `fine`.
    pub fn new(fine: AttributeId, coarse: AttributeId, groups: Vec<u32>) -> Self {
        Self { fine, coarse, groups: groups.into() }
    }

    /// Makes a step with groups of `width` neighbouring codes; the last may have fewer.
    ///
    /// # Reference
    /// Bao, Xiao, Zhao, Zhang, Ding 2018 (JPC 2021), section 3.1; `width` is the paper's g.
    pub fn every(width: u32, domain: &Domain, fine: AttributeId, coarse: AttributeId) -> Self {
        Self::new(fine, coarse, (0..domain.size(fine)).map(|code| code / width.max(1)).collect())
    }
}

/// Which attributes of a domain are coarser versions of others.
///
/// Every hierarchy is a chain: an attribute has at most one next coarser version.
///
/// ```
/// use scumble_pgm::network::{Coarsening, Hierarchies};
/// use scumble_schema::{AttributeId, Domain};
///
/// // Attribute 1 is attribute 0 in groups of five.
/// let domain = Domain::new(vec![20, 4])?;
/// let [age, age_group] = [0, 1].map(AttributeId::new);
/// let hierarchies = Hierarchies::new(&domain, vec![Coarsening::every(5, &domain, age, age_group)])?;
/// assert_eq!(hierarchies.finest(age_group), age);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Reference
/// Bao et al. 2018, sections 3.1 and 3.2.2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchies {
    /// The step up from each attribute.
    up: Box<[Option<Coarsening>]>,
    /// The finest version of each attribute.
    finest: Box<[AttributeId]>,
    /// Number of coarser versions of each attribute.
    coarser_versions: Box<[usize]>,
}

impl Hierarchies {
    /// Returns hierarchies in which no attribute is a version of another.
    pub fn none(domain: &Domain) -> Self {
        Self {
            up: vec![None; domain.len()].into(),
            finest: domain.attributes().collect(),
            coarser_versions: vec![0; domain.len()].into(),
        }
    }

    /// Makes hierarchies from their steps, in any order.
    ///
    /// # Errors
    /// [`ModelError::UnknownAttribute`], or [`ModelError::NotACoarsening`] with the reason.
    pub fn new(domain: &Domain, steps: Vec<Coarsening>) -> Result<Self, ModelError> {
        let mut hierarchies = Self::none(domain);
        for step in steps {
            let (fine, coarse) = (step.fine, step.coarse);
            let refuse = |why| Err(ModelError::NotACoarsening { fine, coarse, why });
            for attribute in [fine, coarse] {
                if attribute.index() >= domain.len() {
                    return Err(ModelError::UnknownAttribute { attribute });
                }
            }
            if step.groups.len() != domain.size(fine) as usize {
                return refuse("it needs a group for every code of the finer attribute");
            }
            // A correction cannot be spread over an empty group.
            let mut seen = vec![false; domain.size(coarse) as usize];
            for &group in &step.groups {
                match seen.get_mut(group as usize) {
                    Some(seen) => *seen = true,
                    None => return refuse("a group is not one of its codes"),
                }
            }
            if seen.contains(&false) {
                return refuse("one of its codes is an empty group");
            }
            if hierarchies.up[fine.index()].is_some() {
                return refuse("the finer attribute already has another coarser version");
            }
            if hierarchies.finest[coarse.index()] != coarse {
                return refuse("it is already the coarser version of another attribute");
            }
            let finest = hierarchies.finest[fine.index()];
            if finest == coarse {
                return refuse("they are coarser versions of each other");
            }
            for version in &mut hierarchies.finest {
                if *version == coarse {
                    *version = finest;
                }
            }
            hierarchies.up[fine.index()] = Some(step);
        }
        hierarchies.coarser_versions =
            domain.attributes().map(|attribute| hierarchies.above(attribute).count()).collect();
        Ok(hierarchies)
    }

    /// Returns the finest version of the attribute: itself, unless it is a coarser version of
    /// another.
    pub fn finest(&self, attribute: AttributeId) -> AttributeId {
        self.finest[attribute.index()]
    }

    /// Returns the next coarser version, and the group of every code.
    pub(super) fn coarser(&self, attribute: AttributeId) -> Option<(AttributeId, &[u32])> {
        self.up[attribute.index()].as_ref().map(|step| (step.coarse, &*step.groups))
    }

    /// Returns the coarser versions of an attribute, nearest first.
    fn above(&self, attribute: AttributeId) -> impl Iterator<Item = AttributeId> + '_ {
        let next = |attribute: &AttributeId| self.coarser(*attribute).map(|(coarse, _)| coarse);
        std::iter::successors(next(&attribute), next)
    }

    /// Returns the code of `onto` for every code of `attribute`, which is `onto` or a finer version
    /// of it.
    pub(super) fn groups(&self, domain: &Domain, attribute: AttributeId, onto: AttributeId) -> Vec<u32> {
        let mut groups: Vec<u32> = (0..domain.size(attribute)).collect();
        let mut version = attribute;
        while version != onto {
            let (coarse, step) = self.coarser(version).expect("one is a coarser version of the other");
            for code in &mut groups {
                *code = step[*code as usize];
            }
            version = coarse;
        }
        groups
    }

    /// Returns the attributes that two sets share. Of an attribute at two levels they share the
    /// coarser.
    pub(super) fn meet(&self, left: &Clique, right: &Clique) -> Clique {
        Clique::new(left.attributes().iter().filter_map(|&attribute| {
            self.version_in(right, attribute).map(|other| {
                // The coarser of two versions has fewer versions above it.
                std::cmp::min_by_key(attribute, other, |version| self.coarser_versions[version.index()])
            })
        }))
    }

    /// Returns the version of `attribute` that is in the set.
    fn version_in(&self, set: &Clique, attribute: AttributeId) -> Option<AttributeId> {
        set.attributes().iter().copied().find(|&other| self.finest(other) == self.finest(attribute))
    }

    /// Returns the attribute of `set` that is `attribute` or a coarser version of it.
    pub(super) fn image(&self, set: &Clique, attribute: AttributeId) -> Option<AttributeId> {
        self.version_in(set, attribute)
            .filter(|other| self.coarser_versions[other.index()] <= self.coarser_versions[attribute.index()])
    }

    /// Returns a rank that is larger for larger sets and for finer versions.
    pub(super) fn rank(&self, set: &Clique) -> usize {
        set.attributes().iter().map(|attribute| 1 + self.coarser_versions[attribute.index()]).sum()
    }

    /// Refuses a set with two versions of the same attribute.
    pub(super) fn check_single_versions(&self, set: &Clique) -> Result<(), ModelError> {
        match set.attributes().iter().find(|&&attribute| self.version_in(set, attribute) != Some(attribute)) {
            Some(&attribute) => Err(ModelError::TwoVersions { attribute: self.finest(attribute) }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes<const N: usize>(indices: [usize; N]) -> [AttributeId; N] {
        indices.map(AttributeId::new)
    }

    /// Twelve codes, in groups of two and of six (the latter by a map), and an unrelated attribute.
    fn three_levels() -> (Domain, Hierarchies) {
        let domain = Domain::new(vec![12, 6, 2, 5]).unwrap();
        let [fine, middle, coarse] = attributes([0, 1, 2]);
        let upper = Coarsening::new(middle, coarse, vec![0, 0, 0, 1, 1, 1]);
        // The upper step first: the order of declaration does not matter.
        let hierarchies = Hierarchies::new(&domain, vec![upper, Coarsening::every(2, &domain, fine, middle)]).unwrap();
        (domain, hierarchies)
    }

    #[test]
    fn groups_compose_along_the_chain() {
        let (domain, hierarchies) = three_levels();
        let [fine, middle, coarse] = attributes([0, 1, 2]);
        assert_eq!(hierarchies.groups(&domain, fine, middle), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(hierarchies.groups(&domain, fine, coarse), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
        assert_eq!(hierarchies.finest(coarse), fine);
    }

    #[test]
    fn two_sets_have_the_coarser_version_in_common() {
        let (_, hierarchies) = three_levels();
        let set = |indices: &[usize]| Clique::new(indices.iter().copied().map(AttributeId::new));
        assert_eq!(hierarchies.meet(&set(&[0, 3]), &set(&[2])), set(&[2]));
        assert_eq!(hierarchies.meet(&set(&[1]), &set(&[0, 3])), set(&[1]));
        assert_eq!(hierarchies.meet(&set(&[0]), &set(&[3])), set(&[]));
        assert!(hierarchies.rank(&set(&[2])) < hierarchies.rank(&set(&[1])));
        assert_eq!(
            hierarchies.check_single_versions(&set(&[1, 2])),
            Err(ModelError::TwoVersions { attribute: AttributeId::new(0) })
        );
    }

    #[test]
    fn steps_that_are_no_chain_of_groups_are_refused() {
        let domain = Domain::new(vec![4, 2, 2, 9]).unwrap();
        let [fine, first, second, large] = attributes([0, 1, 2, 3]);
        let step = |fine, coarse| Coarsening::every(2, &domain, fine, coarse);
        let refused = |steps| matches!(Hierarchies::new(&domain, steps), Err(ModelError::NotACoarsening { .. }));
        assert!(!refused(vec![step(fine, first)]));
        assert!(refused(vec![step(fine, first), step(fine, second)]), "two coarser versions");
        assert!(refused(vec![step(fine, large)]), "codes of the coarse attribute stay unused");
        assert!(refused(vec![step(large, fine)]), "nine codes in twos are five groups");
        assert!(refused(vec![Coarsening::new(fine, first, vec![0, 1])]), "codes without a group");
        let same = |fine, coarse| Coarsening::new(fine, coarse, vec![0, 1]);
        assert!(refused(vec![same(first, second), same(second, first)]), "a cycle");
        assert!(refused(vec![same(first, second), step(fine, second)]), "a coarse version of two attributes");
        assert!(refused(vec![same(first, first)]), "an attribute is no coarser version of itself");
    }
}
