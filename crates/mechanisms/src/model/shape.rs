//! The shape of a distribution in a model file, without its numbers.

use scumble_pgm::network::{EmptyParents, Network, Pair, ToProbabilities};
use scumble_pgm::{Factor, Node, ParityPotentials, ProductModel, TreeModel};
use scumble_schema::{Clique, CodeColumn, Domain, Recoding, limits};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::model::fitted::{Consistency, Distribution, NetworkTables, hierarchies, rows_of_cells};
use crate::model::origin::Origin;

/// Facts of a distribution that are needed to read its numbers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Shape {
    /// One number per code of every column.
    Product,
    /// The counts of every pair's table.
    Network {
        pairs: Vec<PairShape>,
        /// Sum that the counts of every table are projected to; without it they are clipped and
        /// normalised.
        project: Option<f64>,
        empty_parents: EmptyShape,
        consistency: Consistency,
    },
    /// The conditionals of every clique.
    Tree { total: f64, cliques: Vec<NodeShape> },
    /// No numbers: the origin holds the released rows.
    Rows,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PairShape {
    children: Clique,
    parents: Clique,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeShape {
    parent: Option<usize>,
    separator: Clique,
    residual: Clique,
    /// Sets of binary columns with a potential each, which are the numbers of the clique instead of
    /// its conditional.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sets: Vec<Clique>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EmptyShape {
    ChildMarginal,
    Uniform,
}

impl Shape {
    pub(crate) fn of(distribution: &Distribution) -> Self {
        match distribution {
            Distribution::Product(_) => Self::Product,
            Distribution::Network(network) => Self::Network {
                pairs: network.model.network().pairs().iter().map(PairShape::of).collect(),
                project: match network.to {
                    ToProbabilities::ClipAndNormalise => None,
                    ToProbabilities::Project { total } => Some(total),
                },
                empty_parents: match network.empty {
                    EmptyParents::ChildMarginal => EmptyShape::ChildMarginal,
                    EmptyParents::Uniform => EmptyShape::Uniform,
                },
                consistency: network.consistency,
            },
            Distribution::Tree(model) => {
                Self::Tree { total: model.total(), cliques: model.nodes().iter().map(NodeShape::of).collect() }
            }
            Distribution::Rows(_) => Self::Rows,
        }
    }

    /// Returns whether a clique is described by potentials, which readers of files before version 5
    /// do not know.
    pub(crate) fn has_potentials(&self) -> bool {
        matches!(self, Self::Tree { cliques, .. } if cliques.iter().any(|clique| !clique.sets.is_empty()))
    }

    /// Builds the distribution over the columns of `recoding`. `numbers` reads the next numbers of
    /// the section.
    pub(crate) fn build(
        self,
        recoding: &Recoding,
        origin: &Origin,
        mut numbers: impl FnMut(u64) -> Result<Vec<f64>, MechanismError>,
    ) -> Result<Distribution, MechanismError> {
        let domain = recoding.domain();
        Ok(match self {
            Self::Product => {
                let columns = domain.one_way();
                let columns =
                    columns.iter().map(|column| table(domain, column, &mut numbers)).collect::<Result<_, _>>()?;
                Distribution::Product(ProductModel::new(columns)?)
            }
            Self::Network { pairs, project, empty_parents, consistency } => {
                let mut tables = Vec::new();
                for pair in &pairs {
                    let clique = pair.children.union(&pair.parents);
                    let counts = table(domain, &clique, &mut numbers)?;
                    tables.push(Factor::new(domain, clique, counts)?);
                }
                let pairs = pairs.into_iter().map(PairShape::into_pair).collect();
                let network = Network::with_hierarchies(domain.clone(), hierarchies(recoding)?, pairs)?;
                let to = project.map_or(ToProbabilities::ClipAndNormalise, |total| ToProbabilities::Project { total });
                let empty = match empty_parents {
                    EmptyShape::ChildMarginal => EmptyParents::ChildMarginal,
                    EmptyShape::Uniform => EmptyParents::Uniform,
                };
                Distribution::Network(NetworkTables::new(network, tables, to, empty, consistency)?)
            }
            Self::Tree { total, cliques } => {
                // A few potentials describe many cells, so their number is
                // checked before any is computed.
                let cells = |node: &NodeShape| {
                    let clique = node.separator.union(&node.residual);
                    let known = clique.attributes().iter().all(|attribute| attribute.index() < domain.len());
                    if known { domain.cells(&clique) } else { 0 }
                };
                let cells = cliques.iter().fold(0_u128, |sum, node| sum.saturating_add(cells(node)));
                if cells > limits::CELLS_PER_MODEL {
                    return Err(MechanismError::damaged("a table is too large"));
                }
                let mut nodes = Vec::new();
                for NodeShape { parent, separator, residual, sets } in cliques {
                    nodes.push(if sets.is_empty() {
                        let conditional = table(domain, &separator.union(&residual), &mut numbers)?;
                        Node::new(parent, separator, residual, conditional)
                    } else if parent.is_none() && separator.is_empty() {
                        let potentials = numbers(sets.len() as u64)?;
                        Node::of_potentials(ParityPotentials::new(domain, residual, sets, potentials)?)
                    } else {
                        return Err(MechanismError::damaged("potentials are of a clique that is joined to another"));
                    });
                }
                Distribution::Tree(TreeModel::new(domain.clone(), total, nodes)?)
            }
            Self::Rows => Distribution::Rows(rows(domain, origin)?),
        })
    }
}

/// Reads one number per cell of a table.
fn table(
    domain: &Domain,
    clique: &Clique,
    numbers: &mut impl FnMut(u64) -> Result<Vec<f64>, MechanismError>,
) -> Result<Vec<f64>, MechanismError> {
    if clique.attributes().iter().any(|attribute| attribute.index() >= domain.len()) {
        return Err(MechanismError::damaged("its distribution is over columns that the schema does not have"));
    }
    let cells = u64::try_from(domain.cells(clique));
    numbers(cells.map_err(|_| MechanismError::damaged("a table is too large"))?)
}

impl PairShape {
    fn of(pair: &Pair) -> Self {
        Self { children: pair.children().clone(), parents: pair.parents().clone() }
    }

    fn into_pair(self) -> Pair {
        Pair::drawn(self.children, self.parents)
    }
}

impl NodeShape {
    fn of(node: &Node) -> Self {
        let sets = node.potentials().map_or(Vec::new(), |potentials| potentials.sets().to_vec());
        Self { parent: node.parent(), separator: node.separator().clone(), residual: node.residual().clone(), sets }
    }
}

/// Returns the numbers of a distribution, in the order in which [`Shape::build`] reads them.
pub(crate) fn numbers(distribution: &Distribution) -> Box<dyn Iterator<Item = f64> + '_> {
    match distribution {
        Distribution::Product(model) => Box::new(model.probabilities().iter().flatten().copied()),
        Distribution::Network(network) => {
            Box::new(network.tables.iter().flat_map(|table| table.values().iter().copied()))
        }
        Distribution::Tree(model) => Box::new(model.nodes().iter().flat_map(stored).copied()),
        Distribution::Rows(_) => Box::new(std::iter::empty()),
    }
}

/// Returns the numbers of a clique: its potentials if it has them, otherwise its conditional.
fn stored(node: &Node) -> &[f64] {
    node.potentials().map_or(node.conditional(), ParityPotentials::values)
}

/// Decodes the last release, which is a list of cells of the table over all columns, into rows.
fn rows(domain: &Domain, origin: &Origin) -> Result<Vec<CodeColumn>, MechanismError> {
    let Origin::Measured { released, .. } = origin else {
        return Err(MechanismError::damaged("its tables are external, and its rows are not"));
    };
    let drawn = released.last().map_or(&[][..], Vec::as_slice);
    // A negative number is not a cell.
    let drawn = drawn.iter().map(|&cell| u64::try_from(cell).unwrap_or(u64::MAX));
    rows_of_cells(domain, drawn).ok_or(MechanismError::damaged("a row of it is no cell of a table"))
}
