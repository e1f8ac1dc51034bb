//! Trees of pairs, estimated without a search.
//!
//! If the measured pairs have no cycle, a model follows from margins and pairs one by one:
//!
//! 1. **Margins.** Every table that holds a column measures its margin: the column's own table with
//!    the variance of a cell, the table of a pair with as many times that as the other column has
//!    codes. Their mean, weighted by precision, is projected onto the non-negative margins of the
//!    right total.
//! 2. **Pairs.** The table of a pair is the one nearest to the measured one, in least squares, that
//!    is not negative and has these margins.
//! 3. **Model.** Tables that agree on their margins are a tree model: the distribution of one
//!    column, and of every other column given its neighbour towards the first.
//!
//! A search for the most likely model visits all tables hundreds of times, and converges slowly
//! where they are sparse. This visits each of them a dozen times.
//!
//! A column may determine another, for example a coarser version of it. Then the margin of the
//! coarser one is estimated first, with the sums over groups of the finer one as further evidence.
//! The margin of the finer one is the nearest with these sums.

use std::collections::BTreeSet;

use scumble_schema::{AttributeId, Clique, Domain};

use crate::error::ModelError;
use crate::inference::zeros::StructuralZeros;
use crate::measurement::{Measurement, simplex};
use crate::tree::tree_model::{Node, TreeModel};

/// Projections of a pair onto each of its margins, in turn. More change little: the last one meets
/// the margin that conditional distributions need, and the other is met within a few rows.
const PROJECTIONS: usize = 12;

/// Returns the model of tables whose pairs have no cycle; `None` for all other tables.
///
/// `zeros` may say that one column determines another, if no column determines two. With other
/// rules, and with tables of three and more columns, a model must be searched for by an
/// [`Estimator`](crate::Estimator).
///
/// ```
/// use scumble_pgm::{Measurement, estimate_forest};
/// use scumble_schema::{AttributeId, Clique, Domain};
///
/// let domain = Domain::new(vec![2, 2])?;
/// let pair = Clique::new(domain.attributes());
/// let measured = [
///     Measurement::new(&domain, Clique::single(AttributeId::new(0)), vec![60.0, 40.0], 1.0)?,
///     Measurement::new(&domain, pair.clone(), vec![61.0, -5.0, 4.0, 40.0], 5.0)?,
/// ];
/// let model = estimate_forest(&domain, &measured, &[], 100.0)?.expect("one pair has no cycle");
/// assert_eq!(model.marginal(&pair)?.values()[1], 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the total is not positive, or the model would be too large.
pub fn estimate_forest(
    domain: &Domain,
    measurements: &[Measurement],
    zeros: &[StructuralZeros],
    total: f64,
) -> Result<Option<TreeModel>, ModelError> {
    if !(total.is_finite() && total > 0.0) {
        return Err(ModelError::NotFinite { what: "a total", positive: true });
    }
    let Some(forest) = Forest::new(domain, measurements, zeros) else { return Ok(None) };
    let margins = forest.margins(domain, measurements, total);
    TreeModel::new(domain.clone(), total, forest.nodes(domain, &margins)).map(Some)
}

/// The measured pairs and the links of a domain, which have no cycle.
struct Forest {
    pairs: Vec<Pair>,
    links: Vec<Link>,
    /// For every attribute, its neighbours and the edges to them.
    edges: Vec<Vec<(usize, Edge)>>,
}

#[derive(Clone, Copy)]
enum Edge {
    Pair(usize),
    Link(usize),
}

/// The mean of all tables of a pair.
struct Pair {
    attributes: [usize; 2],
    counts: Vec<f64>,
}

/// An attribute that determines another.
struct Link {
    fine: usize,
    coarse: usize,
    /// The code of the coarse attribute for every code of the fine one.
    groups: Vec<usize>,
}

impl Link {
    /// Reads a rule, if one attribute determines the other by it.
    fn of(domain: &Domain, zeros: &StructuralZeros) -> Option<Self> {
        let &[first, second] = zeros.clique().attributes() else { return None };
        let possible: Vec<bool> = zeros.possible().collect();
        let (rows, columns) = (domain.size(first) as usize, domain.size(second) as usize);
        let only = |allowed: &mut dyn Iterator<Item = bool>| {
            let mut codes = allowed.enumerate().filter_map(|(code, allowed)| allowed.then_some(code));
            codes.next().filter(|_| codes.next().is_none())
        };
        let by_row = (0..rows).map(|row| only(&mut possible[row * columns..][..columns].iter().copied()));
        if let Some(groups) = by_row.collect() {
            return Some(Self { fine: first.index(), coarse: second.index(), groups });
        }
        let by_column = (0..columns).map(|column| only(&mut possible.iter().skip(column).step_by(columns).copied()));
        let groups = by_column.collect::<Option<Vec<usize>>>()?;
        Some(Self { fine: second.index(), coarse: first.index(), groups })
    }
}

impl Forest {
    fn new(domain: &Domain, measurements: &[Measurement], zeros: &[StructuralZeros]) -> Option<Self> {
        let links = zeros.iter().map(|zeros| Link::of(domain, zeros)).collect::<Option<Vec<_>>>()?;
        let cliques: BTreeSet<&Clique> = measurements.iter().map(Measurement::clique).collect();
        if cliques.iter().any(|clique| clique.len() > 2) {
            return None;
        }
        let pairs: Vec<Pair> = cliques.iter().filter_map(|clique| Pair::mean(clique, measurements)).collect();
        let of_pairs = pairs.iter().enumerate().map(|(place, pair)| (pair.attributes, Edge::Pair(place)));
        let of_links = links.iter().enumerate().map(|(place, link)| ([link.fine, link.coarse], Edge::Link(place)));
        let mut edges: Vec<Vec<(usize, Edge)>> = vec![Vec::new(); domain.len()];
        let mut component: Vec<usize> = (0..domain.len()).collect();
        for ([one, other], edge) in of_pairs.chain(of_links) {
            let (kept, joined) = (component[one], component[other]);
            if kept == joined {
                return None;
            }
            component.iter_mut().filter(|of| **of == joined).for_each(|of| *of = kept);
            edges[one].push((other, edge));
            edges[other].push((one, edge));
        }
        let determines_two = |link: &Link| links.iter().filter(|other| other.fine == link.fine).count() > 1;
        (!links.iter().any(determines_two)).then_some(Self { pairs, links, edges })
    }

    /// Returns the links, finer ones before coarser ones.
    fn finest_first(&self) -> Vec<&Link> {
        let mut links: Vec<&Link> = self.links.iter().collect();
        let steps_up = |link: &Link| {
            let above = |at: &usize| self.links.iter().find(|link| link.fine == *at).map(|link| link.coarse);
            std::iter::successors(Some(link.coarse), above).count()
        };
        links.sort_by_key(|link| std::cmp::Reverse(steps_up(link)));
        links
    }

    /// Estimates the margin of every attribute.
    fn margins(&self, domain: &Domain, measurements: &[Measurement], total: f64) -> Vec<Vec<f64>> {
        let mut evidence: Vec<Evidence> = domain.sizes().iter().map(|&size| Evidence::none(size as usize)).collect();
        for measurement in measurements {
            let cells = measurement.values().len();
            for &attribute in measurement.clique().attributes() {
                let margin = measurement.counts().project(&Clique::single(attribute)).into_values();
                let summed = (cells / margin.len()) as f64;
                evidence[attribute.index()].add_all(&margin, 1.0 / (measurement.variance() * summed));
            }
        }
        let links = self.finest_first();
        for link in &links {
            let sums = evidence[link.fine].sums(&link.groups, domain.size(AttributeId::new(link.coarse)) as usize);
            evidence[link.coarse].add(&sums);
        }
        let mut margins: Vec<Vec<f64>> = evidence.iter().map(|evidence| evidence.means(total)).collect();
        let is_fine = |attribute: usize| links.iter().any(|link| link.fine == attribute);
        for (_, margin) in margins.iter_mut().enumerate().filter(|&(attribute, _)| !is_fine(attribute)) {
            simplex::project_in_place(margin, total);
        }
        for link in links.iter().rev() {
            let (coarse, fine) = (margins[link.coarse].clone(), &mut margins[link.fine]);
            for (group, &sum) in coarse.iter().enumerate() {
                let members = || link.groups.iter().enumerate().filter(|&(_, &of)| of == group).map(|(code, _)| code);
                let mut counts: Vec<f64> = members().map(|code| fine[code]).collect();
                simplex::project_in_place(&mut counts, sum);
                members().zip(counts).for_each(|(code, count)| fine[code] = count);
            }
        }
        margins
    }

    /// Returns the nodes of the model, parents before children.
    fn nodes(&self, domain: &Domain, margins: &[Vec<f64>]) -> Vec<Node> {
        let of = |attribute: usize| Clique::single(AttributeId::new(attribute));
        let mut nodes = Vec::with_capacity(domain.len());
        let mut is_placed = vec![false; domain.len()];
        for root in 0..domain.len() {
            if is_placed[root] {
                continue;
            }
            is_placed[root] = true;
            let mut reached = vec![(root, nodes.len())];
            nodes.push(Node::new(
                None,
                Clique::empty(),
                of(root),
                rows_of_shares(margins[root].clone(), &margins[root]),
            ));
            while let Some((parent, place)) = reached.pop() {
                for &(child, edge) in &self.edges[parent] {
                    if std::mem::replace(&mut is_placed[child], true) {
                        continue;
                    }
                    reached.push((child, nodes.len()));
                    let conditional = self.conditional(edge, parent, child, margins);
                    nodes.push(Node::new(Some(place), of(parent), of(child), conditional));
                }
            }
        }
        nodes
    }

    /// Returns the distribution of a child given each code of its parent.
    fn conditional(&self, edge: Edge, parent: usize, child: usize, margins: &[Vec<f64>]) -> Vec<f64> {
        let (of_parent, of_child) = (&margins[parent], &margins[child]);
        match edge {
            Edge::Pair(place) => {
                let table = self.pairs[place].nearest(parent, of_parent, of_child);
                // The nearest table may miss the margin of the child by so little that a code of
                // the parent has rows in the model and none here.
                rows_of_shares(table, of_child)
            }
            Edge::Link(place) => {
                let Link { fine, coarse, groups } = &self.links[place];
                let mut table = vec![0.0; of_parent.len() * of_child.len()];
                for (code, &group) in groups.iter().enumerate() {
                    // A group without rows is distributed evenly.
                    let has_rows = *coarse == parent && margins[*coarse][group] > 0.0;
                    let cell =
                        if *fine == parent { code * of_child.len() + group } else { group * of_child.len() + code };
                    table[cell] = if has_rows { margins[*fine][code] } else { 1.0 };
                }
                rows_of_shares(table, &vec![1.0; of_child.len()])
            }
        }
    }
}

impl Pair {
    /// Returns the mean of all measurements of a pair, weighted by precision; `None` if `clique` is
    /// no pair.
    fn mean(clique: &Clique, measurements: &[Measurement]) -> Option<Self> {
        let &[first, second] = clique.attributes() else { return None };
        let mut mean: Option<Evidence> = None;
        for measurement in measurements.iter().filter(|measurement| measurement.clique() == clique) {
            let cells = measurement.values().len();
            mean.get_or_insert_with(|| Evidence::none(cells))
                .add_all(measurement.values(), 1.0 / measurement.variance());
        }
        Some(Self { attributes: [first.index(), second.index()], counts: mean?.means(0.0) })
    }

    /// Returns the nearest table with these margins, with one row per code of the parent.
    fn nearest(&self, parent: usize, of_parent: &[f64], of_child: &[f64]) -> Vec<f64> {
        let mut by_parent =
            if self.attributes[0] == parent { self.counts.clone() } else { transposed(&self.counts, of_parent.len()) };
        let project = |table: &mut [f64], length: usize, sums: &[f64]| {
            for (row, &sum) in table.chunks_exact_mut(length).zip(sums) {
                simplex::project_in_place(row, sum);
            }
        };
        for _ in 0..PROJECTIONS {
            let mut by_child = transposed(&by_parent, of_child.len());
            project(&mut by_child, of_parent.len(), of_child);
            by_parent = transposed(&by_child, of_parent.len());
            project(&mut by_parent, of_child.len(), of_parent);
        }
        by_parent
    }
}

/// Sums of values, weighted by precision.
struct Evidence {
    precisions: Vec<f64>,
    weighted: Vec<f64>,
}

impl Evidence {
    fn none(cells: usize) -> Self {
        Self { precisions: vec![0.0; cells], weighted: vec![0.0; cells] }
    }

    fn add_all(&mut self, values: &[f64], precision: f64) {
        for ((sum, weighted), value) in self.precisions.iter_mut().zip(&mut self.weighted).zip(values) {
            *sum += precision;
            *weighted += precision * value;
        }
    }

    fn add(&mut self, other: &Self) {
        for (sum, more) in self.precisions.iter_mut().zip(&other.precisions) {
            *sum += more;
        }
        for (sum, more) in self.weighted.iter_mut().zip(&other.weighted) {
            *sum += more;
        }
    }

    /// Returns what the values say about sums over groups. A group with a value that was never
    /// measured is not known.
    fn sums(&self, groups: &[usize], count: usize) -> Self {
        let (mut variances, mut values) = (vec![0.0; count], vec![0.0; count]);
        for ((&group, &precision), &weighted) in groups.iter().zip(&self.precisions).zip(&self.weighted) {
            variances[group] += 1.0 / precision;
            values[group] += weighted / precision;
        }
        let known = |(variance, value): (&f64, &f64)| {
            if variance.is_finite() && *variance > 0.0 { (1.0 / variance, value / variance) } else { (0.0, 0.0) }
        };
        let (precisions, weighted) = variances.iter().zip(&values).map(known).unzip();
        Self { precisions, weighted }
    }

    /// Returns the means. Without evidence, a value is its part of `total`.
    fn means(&self, total: f64) -> Vec<f64> {
        let default = total / self.precisions.len() as f64;
        let mean = |(precision, weighted): (&f64, &f64)| if *precision > 0.0 { weighted / precision } else { default };
        self.precisions.iter().zip(&self.weighted).map(mean).collect()
    }
}

/// Returns a table of this number of columns with its axes exchanged.
fn transposed(table: &[f64], columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|column| table.iter().skip(column).step_by(columns).copied()).collect()
}

/// Scales every row of a table to sum to one. A row without counts becomes `otherwise`, which has
/// some.
fn rows_of_shares(mut table: Vec<f64>, otherwise: &[f64]) -> Vec<f64> {
    for row in table.chunks_exact_mut(otherwise.len()) {
        if row.iter().sum::<f64>() <= 0.0 {
            row.copy_from_slice(otherwise);
        }
        let sum: f64 = row.iter().sum();
        for count in row {
            *count /= sum;
        }
    }
    table
}
