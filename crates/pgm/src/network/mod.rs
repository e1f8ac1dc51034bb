//! Bayesian networks over noisy tables: the post-processing half of `PrivBayes`.
//!
//! A network is a list of pairs, children given parents ([`Network`]). For every pair there is one
//! noisy table over its children and parents. Where tables overlap they disagree, and
//! [`make_consistent`] resolves that by least squares. [`NetworkModel`] turns the tables into
//! conditional distributions; [`ToProbabilities`] and [`EmptyParents`] are two options on which
//! papers differ. There are three ways to draw tuples ([`TupleSampling`]).
//!
//! [`Hierarchies`] declares coarser versions of attributes with many codes, for tables of fewer
//! cells.
//!
//! **Order of the steps.** The 2018 paper clips in its Algorithm 4 and again, before consistency,
//! in its section 2.3; consistency then makes new negative counts, which it does not mention. Here
//! tables are made consistent first, as released, and turned into probabilities last: only
//! unclipped noise has mean zero and the variance that the weights assume, so only then is the
//! weighted mean the best one. The price is exact consistency after clipping, which no sampler here
//! needs. [`make_consistent_and_positive`] keeps both and, followed by
//! [`ToProbabilities::Project`], halves the papers' error on sparse tables; it is in neither paper.
//!
//! ```
//! use scumble_pgm::network::{
//!     EmptyParents, Hierarchies, Network, NetworkModel, Pair, ToProbabilities, TupleSampling, make_consistent,
//! };
//! use scumble_pgm::{Factor, Measurement};
//! use scumble_schema::{AttributeId, Domain};
//!
//! let domain = Domain::new(vec![2, 3])?;
//! let [sex, work] = [0, 1].map(AttributeId::new);
//! let network = Network::new(domain.clone(), vec![Pair::head([sex]), Pair::new(work, [sex])])?;
//!
//! let noisy = [vec![52.0, 47.0], vec![31.0, 18.0, 2.0, 9.0, 40.0, -1.0]];
//! let mut tables = Vec::new();
//! for (clique, counts) in network.cliques().zip(noisy) {
//!     tables.push(Measurement::new(&domain, clique, counts, 2.0)?);
//! }
//! make_consistent(&domain, &Hierarchies::none(&domain), &mut tables)?;
//!
//! let counts: Vec<Factor> = tables.into_iter().map(Measurement::into_counts).collect();
//! let model = NetworkModel::new(network, &counts, ToProbabilities::ClipAndNormalise, EmptyParents::ChildMarginal)?;
//! let rows: usize = model.sample(1_000, 7, TupleSampling::WithoutReplacement).map(|chunk| chunk[0].len()).sum();
//! assert_eq!(rows, 1_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Reference
//! Zhang, Cormode, Procopiuc, Srivastava, Xiao, `PrivBayes`, SIGMOD 2014 (below: 2014). Bao, Xiao,
//! Zhao, Zhang, Ding, Synthetic data generation with differential privacy via Bayesian networks,
//! JPC 2021, the entry to the NIST challenge of 2018 (below: 2018).

mod backtrack;
mod conditional;
mod consistency;
mod hierarchy;
mod model;
mod nearest;
mod with_replacement;
mod without_replacement;

use scumble_schema::{AttributeId, Clique, Domain, limits};

pub use conditional::{Conditional, EmptyParents, ToProbabilities};
pub use consistency::make_consistent;
pub use hierarchy::{Coarsening, Hierarchies};
pub use model::{NetworkModel, TupleSampling, Tuples};
pub use nearest::make_consistent_and_positive;

use crate::error::ModelError;

/// Children drawn together, given parents.
///
/// # Reference
/// The attribute-parent pair of 2014, section 2.2. The head of 2018, section 1.2, is a pair of
/// several children without parents; the first k + 1 pairs of 2014, whose conditionals come from
/// one table (its Algorithm 1, lines 7 and 8), are such a head too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    children: Clique,
    parents: Clique,
}

impl Pair {
    /// Makes a pair of one child, given parents.
    pub fn new(child: AttributeId, parents: impl IntoIterator<Item = AttributeId>) -> Self {
        Self { children: Clique::single(child), parents: Clique::new(parents) }
    }

    /// Makes a pair of attributes drawn together, without parents.
    pub fn head(attributes: impl IntoIterator<Item = AttributeId>) -> Self {
        Self { children: Clique::new(attributes), parents: Clique::empty() }
    }

    /// Makes a pair of children drawn together, given parents.
    pub fn drawn(children: Clique, parents: Clique) -> Self {
        Self { children, parents }
    }

    /// Returns the attributes that are drawn.
    pub fn children(&self) -> &Clique {
        &self.children
    }

    /// Returns the attributes that they are drawn given.
    pub fn parents(&self) -> &Clique {
        &self.parents
    }

    /// Returns children and parents: the attributes of the pair's table.
    pub fn clique(&self) -> Clique {
        self.children.union(&self.parents)
    }
}

/// A step in drawing a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Draws the children of a pair.
    Draw { pair: usize },
    /// Derives the next coarser version of an attribute.
    Coarsen { fine: AttributeId },
}

/// The structure of a Bayesian network: every attribute is the child of one pair, and parents come
/// earlier.
///
/// A coarser version of an attribute is either the child of a pair like any other attribute (2018:
/// such columns are drawn and discarded), or of none; then it follows from the finer version as
/// soon as that is drawn, and may be a parent from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    domain: Domain,
    hierarchies: Hierarchies,
    pairs: Box<[Pair]>,
    steps: Box<[Step]>,
    /// Whether each attribute follows from a finer version instead of being drawn by a pair.
    follows: Box<[bool]>,
}

impl Network {
    /// Makes the network of these pairs, drawn in this order.
    pub fn new(domain: Domain, pairs: Vec<Pair>) -> Result<Self, ModelError> {
        let hierarchies = Hierarchies::none(&domain);
        Self::with_hierarchies(domain, hierarchies, pairs)
    }

    /// Makes the network of these pairs over a domain with coarser versions of attributes.
    pub fn with_hierarchies(domain: Domain, hierarchies: Hierarchies, pairs: Vec<Pair>) -> Result<Self, ModelError> {
        let mut drawn = vec![0; domain.len()];
        for attribute in pairs.iter().flat_map(|pair| pair.children.attributes()) {
            match drawn.get_mut(attribute.index()) {
                Some(count) => *count += 1,
                None => return Err(ModelError::UnknownAttribute { attribute: *attribute }),
            }
        }
        let mut known = vec![false; domain.len()];
        let mut steps = Vec::new();
        for (index, pair) in pairs.iter().enumerate() {
            let is_known = |parent: &AttributeId| known.get(parent.index()).copied().unwrap_or(false);
            if pair.children.is_empty() || !pair.parents.attributes().iter().all(is_known) {
                return Err(ModelError::PairOutOfOrder { pair: index });
            }
            steps.push(Step::Draw { pair: index });
            for &child in pair.children.attributes() {
                known[child.index()] = true;
                let mut fine = child;
                while let Some((coarse, _)) = hierarchies.coarser(fine).filter(|(coarse, _)| drawn[coarse.index()] == 0)
                {
                    steps.push(Step::Coarsen { fine });
                    known[coarse.index()] = true;
                    fine = coarse;
                }
            }
        }
        let wrong = |attribute: &AttributeId| drawn[attribute.index()] > 1 || !known[attribute.index()];
        if let Some(attribute) = domain.attributes().find(wrong) {
            return Err(ModelError::ChildCount { attribute, found: drawn[attribute.index()] });
        }
        let all_cells = pairs.iter().fold(0_u128, |sum, pair| sum.saturating_add(domain.cells(&pair.clique())));
        if all_cells > limits::CELLS_PER_MODEL {
            return Err(ModelError::too_large(all_cells));
        }
        let follows = drawn.iter().map(|&count| count == 0).collect();
        Ok(Self { domain, hierarchies, pairs: pairs.into(), steps: steps.into(), follows })
    }

    /// Returns the domain.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns which attributes are coarser versions of others.
    pub fn hierarchies(&self) -> &Hierarchies {
        &self.hierarchies
    }

    /// Returns the pairs, in the order they are drawn.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Returns the attributes of each pair's table.
    pub fn cliques(&self) -> impl Iterator<Item = Clique> + '_ {
        self.pairs.iter().map(Pair::clique)
    }

    /// Sets an attribute of a tuple, and the coarser versions that follow from it.
    fn set(&self, tuple: &mut [u32], attribute: AttributeId, code: u32) {
        tuple[attribute.index()] = code;
        let mut fine = attribute;
        while let Some((coarse, groups)) =
            self.hierarchies.coarser(fine).filter(|(coarse, _)| self.follows[coarse.index()])
        {
            tuple[coarse.index()] = groups[tuple[fine.index()] as usize];
            fine = coarse;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: usize) -> AttributeId {
        AttributeId::new(index)
    }

    fn domain(sizes: &[u32]) -> Domain {
        Domain::new(sizes.to_vec()).unwrap()
    }

    #[test]
    fn the_example_of_the_2014_paper_is_a_network() {
        // (A, {}), (B, {A}), (C, {A, B}), (D, {A, C}): two tables, over A B C and A C D.
        let network =
            Network::new(domain(&[2, 3, 4, 5]), vec![Pair::head([0, 1, 2].map(id)), Pair::new(id(3), [0, 2].map(id))]);
        let cliques: Vec<Clique> = network.unwrap().cliques().collect();
        assert_eq!(cliques, [Clique::new([0, 1, 2].map(id)), Clique::new([0, 2, 3].map(id))]);
    }

    #[test]
    fn a_list_of_pairs_that_is_no_network_is_refused() {
        let sizes = [2, 2];
        let network = |pairs| Network::new(domain(&sizes), pairs).map(|_| ());
        let chain = vec![Pair::head([id(0)]), Pair::new(id(1), [id(0)])];
        assert_eq!(network(chain.clone()), Ok(()));
        let backwards: Vec<Pair> = chain.iter().rev().cloned().collect();
        assert_eq!(network(backwards), Err(ModelError::PairOutOfOrder { pair: 0 }));
        assert_eq!(network(chain[..1].to_vec()), Err(ModelError::ChildCount { attribute: id(1), found: 0 }));
        let twice = [&chain[..], &chain[1..]].concat();
        assert_eq!(network(twice), Err(ModelError::ChildCount { attribute: id(1), found: 2 }));
        assert_eq!(network(vec![Pair::head([])]), Err(ModelError::PairOutOfOrder { pair: 0 }));
        let itself = vec![Pair::head([id(0)]), Pair::new(id(1), [id(1)])];
        assert_eq!(network(itself), Err(ModelError::PairOutOfOrder { pair: 1 }));
        let unknown = vec![Pair::head([0, 1, 2].map(id))];
        assert_eq!(network(unknown), Err(ModelError::UnknownAttribute { attribute: id(2) }));
        let unknown = vec![chain[0].clone(), Pair::new(id(1), [id(7)])];
        assert_eq!(network(unknown), Err(ModelError::PairOutOfOrder { pair: 1 }));
    }

    #[test]
    fn tables_too_large_to_hold_are_refused_before_they_are_made() {
        let wide = Network::new(domain(&[1_000; 7]), vec![Pair::head((0..7).map(id))]);
        assert_eq!(wide, Err(ModelError::too_large(10_u128.pow(21))));
        let many = (0..6).map(|first| Pair::head([2 * first, 2 * first + 1].map(id))).collect();
        assert_eq!(Network::new(domain(&[3_000; 12]), many), Err(ModelError::too_large(54_000_000)));
    }

    #[test]
    fn a_coarser_version_follows_from_the_finer_one_unless_it_is_drawn_itself() {
        let domain = domain(&[9, 3, 2]);
        let hierarchies = Hierarchies::new(&domain, vec![Coarsening::every(3, &domain, id(0), id(1))]).unwrap();
        let network = |pairs| Network::with_hierarchies(domain.clone(), hierarchies.clone(), pairs);
        let derived = network(vec![Pair::head([id(0)]), Pair::new(id(2), [id(1)])]).unwrap();
        let steps = [Step::Draw { pair: 0 }, Step::Coarsen { fine: id(0) }, Step::Draw { pair: 1 }];
        assert_eq!(*derived.steps, steps);
        let drawn = network(vec![Pair::head([id(1)]), Pair::new(id(2), [id(1)]), Pair::new(id(0), [id(2)])]).unwrap();
        assert_eq!(drawn.steps.len(), 3);
        // The coarse version is not known before the fine one.
        let early = network(vec![Pair::head([id(2)]), Pair::new(id(0), [id(1)])]);
        assert_eq!(early, Err(ModelError::PairOutOfOrder { pair: 1 }));
    }
}
