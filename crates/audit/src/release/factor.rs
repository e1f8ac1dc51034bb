//! The released distribution as a product of conditional ones, each beside that of the population.

use scumble_mechanisms::Distribution;
use scumble_schema::AttributeId;

use super::cells::{Cells, Counts, index};
use super::progress::Progress;
use super::study::Study;
use super::tree;

/// A conditional distribution to be filled: children given parents.
pub(super) struct Shape<'a> {
    pub(super) parents: Vec<AttributeId>,
    pub(super) children: Vec<AttributeId>,
    /// Probabilities of the released model, one row per cell of the parents.
    pub(super) conditional: Option<&'a [f64]>,
}

/// The distribution of some columns given others, in the release and in the auxiliary sample.
pub(super) struct Factor<'a> {
    parents: Cells,
    children: Cells,
    released: Released<'a>,
    auxiliary: Counted,
}

enum Released<'a> {
    /// The frequencies of the synthetic rows.
    Rows(Counted),
    /// The probabilities of the model, which stand for `rows` rows per synthetic row.
    Model { conditional: &'a [f64], parents: Counts, rows: f64 },
}

struct Counted {
    parents: Counts,
    joint: Counts,
}

/// Returns the factors of the released model or, without one, of a tree learned from the synthetic
/// rows.
pub(super) fn shapes<'a>(study: &Study<'a>) -> Vec<Shape<'a>> {
    let Some(model) = study.model else { return tree::shapes(study) };
    let list = |clique: &scumble_schema::Clique| clique.attributes().to_vec();
    match model.distribution() {
        Distribution::Product(product) => {
            let columns = study.recoding.domain().attributes().zip(product.probabilities());
            columns
                .map(|(column, probabilities)| Shape {
                    parents: Vec::new(),
                    children: vec![column],
                    conditional: Some(probabilities),
                })
                .collect()
        }
        Distribution::Network(network) => {
            let network = network.model();
            let pairs = network.network().pairs().iter().zip(network.conditionals());
            pairs
                .map(|(pair, conditional)| Shape {
                    parents: list(pair.parents()),
                    children: list(pair.children()),
                    conditional: Some(conditional.given_parents()),
                })
                .collect()
        }
        Distribution::Tree(tree) => {
            let nodes = tree.nodes().iter();
            nodes
                .map(|node| Shape {
                    parents: list(node.separator()),
                    children: list(node.residual()),
                    conditional: Some(node.conditional()),
                })
                .collect()
        }
        // Rows that were released one by one are the distribution.
        Distribution::Rows(_) => {
            let children = study.recoding.domain().attributes().collect();
            vec![Shape { parents: Vec::new(), children, conditional: None }]
        }
        _ => tree::shapes(study),
    }
}

/// Fills the factors.
pub(super) fn fill<'a>(study: &Study<'a>, shapes: Vec<Shape<'a>>, progress: &Progress<'_>) -> Vec<Factor<'a>> {
    let fill = |shape| {
        progress.step();
        Factor::new(study, shape)
    };
    shapes.into_iter().map(fill).collect()
}

impl<'a> Factor<'a> {
    fn new(study: &Study<'a>, shape: Shape<'a>) -> Self {
        let Shape { parents, children, conditional } = shape;
        let joint = Cells::new(&study.recoding, &[&parents[..], &children].concat());
        let [parents, children] = [parents, children].map(|columns| Cells::new(&study.recoding, &columns));
        let counted = |table| Counted { parents: parents.count(table), joint: joint.count(table) };
        let released = match (conditional, study.model) {
            (Some(conditional), Some(model)) => {
                let rows = model.rows() as f64 / study.synthetic.rows() as f64;
                Released::Model { conditional, parents: parents.count(study.synthetic), rows }
            }
            _ => Released::Rows(counted(study.synthetic)),
        };
        let auxiliary = counted(&study.auxiliary);
        Self { parents, children, released, auxiliary }
    }

    /// Returns whether the factor depends on a base column.
    pub(super) fn reads(&self, column: usize) -> bool {
        self.parents.reads(column) || self.children.reads(column)
    }

    /// Returns the logarithm of the probability of a row's children given its parents, in the
    /// release.
    pub(super) fn released(&self, codes: &[u32]) -> f64 {
        let (parents, joint) = self.cells(codes);
        match &self.released {
            Released::Rows(counted) => self.counted(counted, parents, joint),
            Released::Model { conditional, parents: rows_of, rows } => {
                let of_parents = rows * f64::from(rows_of.get(parents));
                self.smoothed(of_parents * conditional[index(joint)], of_parents)
            }
        }
    }

    /// Returns the logarithm of that probability in the auxiliary sample.
    pub(super) fn auxiliary(&self, codes: &[u32]) -> f64 {
        let (parents, joint) = self.cells(codes);
        self.counted(&self.auxiliary, parents, joint)
    }

    fn counted(&self, counted: &Counted, parents: u64, joint: u64) -> f64 {
        self.smoothed(counted.joint.get(joint).into(), counted.parents.get(parents).into())
    }

    fn cells(&self, codes: &[u32]) -> (u64, u64) {
        let parents = self.parents.of(codes);
        (parents, parents * self.children.len() + self.children.of(codes))
    }

    /// Smooths with one more row, spread evenly over the children's cells: no row is impossible.
    fn smoothed(&self, joint: f64, parents: f64) -> f64 {
        ((joint + 1.0 / self.children.len() as f64) / (parents + 1.0)).ln()
    }
}
