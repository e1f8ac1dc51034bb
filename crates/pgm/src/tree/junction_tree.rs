//! The junction tree of a model.

use scumble_schema::{AttributeId, Clique, Domain, limits};

use crate::error::ModelError;
use crate::tree::triangulation::{Elimination, triangulate, triangulate_within};

/// One clique of a [`JunctionTree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeClique {
    parent: Option<usize>,
    clique: Clique,
    separator: Clique,
    residual: Clique,
    cells: u128,
}

/// Cliques in a tree, such that the cliques that hold any one attribute are connected (the running
/// intersection property) and every given clique is inside one of them.
///
/// Attributes that no given clique joins are in separate trees, so it may be a forest. It does not
/// depend on the order of the given cliques.
///
/// ```
/// use scumble_pgm::JunctionTree;
/// use scumble_schema::{AttributeId, Clique, Domain};
///
/// let domain = Domain::new(vec![2, 3, 4])?;
/// let pairs = [[0, 1], [1, 2]].map(|pair| Clique::new(pair.map(AttributeId::new)));
/// let tree = JunctionTree::new(&domain, &pairs, 1_000)?;
/// assert_eq!(tree.cells(), 6 + 12);
/// assert_eq!(tree.cliques()[1].separator(), &Clique::single(AttributeId::new(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JunctionTree {
    cliques: Vec<TreeClique>,
    cells: u128,
    /// For every attribute the cliques that hold it, smallest table first.
    holders: Vec<Vec<usize>>,
    smallest: Option<usize>,
}

impl TreeClique {
    /// Returns the position of the parent, or `None` for a root.
    pub fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// Returns all attributes: those of the separator and the residual.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// Returns the attributes shared with the parent.
    pub fn separator(&self) -> &Clique {
        &self.separator
    }

    /// Returns the attributes that no ancestor holds.
    pub fn residual(&self) -> &Clique {
        &self.residual
    }

    /// Returns the number of cells of the table over the clique.
    pub fn cells(&self) -> u128 {
        self.cells
    }
}

impl JunctionTree {
    /// Makes the smallest tree found that holds every attribute of the domain and every given
    /// clique.
    ///
    /// Counts the cells before it allocates anything that grows with them.
    ///
    /// # Errors
    /// [`ModelError::UnknownAttribute`] if a clique names an attribute that the domain lacks,
    /// [`ModelError::TooLarge`] if the tables over the tree's cliques have more cells than
    /// `cell_limit` or [`limits::CELLS_PER_MODEL`].
    pub fn new(domain: &Domain, cliques: &[Clique], cell_limit: u128) -> Result<Self, ModelError> {
        let unknown = |attribute: &&AttributeId| attribute.index() >= domain.len();
        if let Some(&attribute) = cliques.iter().find_map(|clique| clique.attributes().iter().find(unknown)) {
            return Err(ModelError::UnknownAttribute { attribute });
        }
        let limit = cell_limit.min(limits::CELLS_PER_MODEL);
        match triangulate(domain, cliques) {
            Some((elimination, cells)) if cells <= limit => Ok(Self::from_elimination(domain, &elimination, cells)),
            found => Err(ModelError::TooLarge { cells: found.map_or(u128::MAX, |(_, cells)| cells), limit }),
        }
    }

    /// Returns the number of cells in the tree of these cliques; saturates at `u128::MAX`.
    ///
    /// # Panics
    /// If a clique names an attribute that the domain lacks.
    pub fn predicted_cells(domain: &Domain, cliques: &[Clique]) -> u128 {
        triangulate(domain, cliques).map_or(u128::MAX, |(_, cells)| cells)
    }

    /// Returns the cliques of a tree that holds the given ones and has no clique of more than
    /// `max_cells` cells, or `None` if no such tree was found.
    ///
    /// Faster than the search for the smallest tree: structure learning calls it thousands of
    /// times.
    ///
    /// ```
    /// use scumble_pgm::JunctionTree;
    /// use scumble_schema::{AttributeId, Clique, Domain};
    ///
    /// let domain = Domain::new(vec![2; 4])?;
    /// let ring = [[0, 1], [1, 2], [2, 3], [0, 3]].map(|pair| Clique::new(pair.map(AttributeId::new)));
    /// assert_eq!(JunctionTree::cliques_within(&domain, &ring, 8).unwrap().len(), 2);
    /// assert!(JunctionTree::cliques_within(&domain, &ring, 7).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a clique names an attribute that the domain lacks.
    pub fn cliques_within(domain: &Domain, cliques: &[Clique], max_cells: u128) -> Option<Vec<Clique>> {
        let elimination = triangulate_within(domain, cliques, max_cells)?;
        let clique = |members: &[usize]| Clique::new(members.iter().map(|&attribute| AttributeId::new(attribute)));
        Some(elimination.maximal().map(clique).collect())
    }

    /// Returns the number of cells of the tables over all cliques.
    pub fn cells(&self) -> u128 {
        self.cells
    }

    /// Returns the cliques, parents before children. Every attribute is in exactly one residual.
    pub fn cliques(&self) -> &[TreeClique] {
        &self.cliques
    }

    /// Returns the position of the smallest clique of the tree that holds `clique`.
    pub fn home(&self, clique: &Clique) -> Option<usize> {
        let mut rarest: Option<&Vec<usize>> = None;
        for attribute in clique.attributes() {
            let holders = self.holders.get(attribute.index())?;
            if rarest.is_none_or(|rarest| holders.len() < rarest.len()) {
                rarest = Some(holders);
            }
        }
        let Some(rarest) = rarest else { return self.smallest };
        rarest.iter().copied().find(|&index| self.cliques[index].clique.holds(clique))
    }

    /// Returns an upper bound on the cells of a tree that holds the pair of two attributes too.
    ///
    /// The other cliques stay as they are: one of the attributes is added along the path to the
    /// other. [`JunctionTree::new`] searches for a smaller tree, which takes much longer. It tries
    /// a few orders of elimination, so the tree that it finds is sometimes a little larger than
    /// this.
    ///
    /// ```
    /// use scumble_pgm::JunctionTree;
    /// use scumble_schema::{AttributeId, Clique, Domain};
    ///
    /// let domain = Domain::new(vec![2, 3, 4])?;
    /// let pairs = [[0, 1], [1, 2]].map(|pair| Clique::new(pair.map(AttributeId::new)));
    /// let tree = JunctionTree::new(&domain, &pairs, 1_000)?;
    /// assert_eq!(tree.cells_with_pair(&domain, [0, 2].map(AttributeId::new)), 6 + 2 * 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the tree has no such attribute.
    pub fn cells_with_pair(&self, domain: &Domain, [one, other]: [AttributeId; 2]) -> u128 {
        let Some(path) = self.path(one, other) else {
            return self.cells.saturating_add(domain.cells(&Clique::new([one, other])));
        };
        let added = |attribute: AttributeId, end: AttributeId, path: &[usize]| -> u128 {
            let after = |at: usize| match path.get(at + 1) {
                Some(&next) => self.between(path[at], next).clone(),
                None => Clique::single(end),
            };
            // A clique of the path gets the attribute, or a clique of its separators beside it
            // does.
            let cells = |at: usize| {
                let beside = self.between(path[at - 1], path[at]).union(&after(at)).union(&Clique::single(attribute));
                let larger = self.cliques[path[at]].cells.saturating_mul(u128::from(domain.size(attribute) - 1));
                larger.min(domain.cells(&beside))
            };
            (1..path.len()).map(cells).fold(0, u128::saturating_add)
        };
        let backwards: Vec<usize> = path.iter().rev().copied().collect();
        self.cells.saturating_add(added(one, other, &path).min(added(other, one, &backwards)))
    }

    /// Returns the shortest path from a clique that holds one attribute to one that holds another;
    /// `None` if they are in separate trees.
    fn path(&self, one: AttributeId, other: AttributeId) -> Option<Vec<usize>> {
        let top = |attribute: AttributeId| self.holders[attribute.index()].iter().copied().min();
        let (mut up, mut down) = (vec![top(one)?], vec![top(other)?]);
        // Parents are before children, so the later of two different cliques is below the meeting.
        while let (Some(&left), Some(&right)) = (up.last(), down.last())
            && left != right
        {
            let side = if left > right { &mut up } else { &mut down };
            side.push(self.cliques[left.max(right)].parent?);
        }
        down.pop();
        up.extend(down.into_iter().rev());
        let holds = |attribute: AttributeId| move |at: &usize| self.cliques[*at].clique.has(attribute);
        let last = up.iter().position(holds(other))?;
        let first = up[..=last].iter().rposition(holds(one))?;
        Some(up[first..=last].to_vec())
    }

    /// Returns the attributes that two neighbours share.
    fn between(&self, one: usize, other: usize) -> &Clique {
        &self.cliques[one.max(other)].separator
    }

    fn from_elimination(domain: &Domain, elimination: &Elimination, cells: u128) -> Self {
        let parents = elimination.parents();
        let absorbed = elimination.absorbed(&parents);
        // A clique inside an earlier one is represented by that one, or by that one's
        // representative.
        let mut representative = Vec::with_capacity(parents.len());
        let mut maximal: Vec<Clique> = Vec::new();
        for (clique, absorbed) in elimination.cliques().zip(absorbed) {
            representative.push(absorbed.map_or(maximal.len(), |child: usize| representative[child]));
            if absorbed.is_none() {
                maximal.push(Clique::new(clique.iter().map(|&attribute| AttributeId::new(attribute))));
            }
        }
        let mut neighbours = vec![Vec::new(); maximal.len()];
        for (index, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                let (child, parent) = (representative[index], representative[parent]);
                if child != parent {
                    neighbours[child].push(parent);
                    neighbours[parent].push(child);
                }
            }
        }
        let cliques = rooted(domain, &maximal, &neighbours);
        let mut by_size: Vec<usize> = (0..cliques.len()).collect();
        by_size.sort_by_key(|&index| cliques[index].cells);
        let mut holders = vec![Vec::new(); domain.len()];
        for &index in &by_size {
            for attribute in cliques[index].clique.attributes() {
                holders[attribute.index()].push(index);
            }
        }
        Self { cliques, cells, holders, smallest: by_size.first().copied() }
    }
}

/// Roots each tree at its largest clique, with children in the order of their attributes.
fn rooted(domain: &Domain, maximal: &[Clique], neighbours: &[Vec<usize>]) -> Vec<TreeClique> {
    let mut from_largest: Vec<usize> = (0..maximal.len()).collect();
    from_largest.sort_by(|&left, &right| {
        let cells = |index: usize| domain.cells(&maximal[index]);
        cells(right).cmp(&cells(left)).then_with(|| maximal[left].cmp(&maximal[right]))
    });
    let mut seen = vec![false; maximal.len()];
    let mut tree: Vec<TreeClique> = Vec::with_capacity(maximal.len());
    for root in from_largest {
        let mut waiting = if seen[root] { vec![] } else { vec![(root, None)] };
        while let Some((index, parent)) = waiting.pop() {
            seen[index] = true;
            let clique = maximal[index].clone();
            let above =
                |attribute: &AttributeId| parent.is_some_and(|parent: usize| tree[parent].clique.has(*attribute));
            let (separator, residual): (Vec<_>, Vec<_>) = clique.attributes().iter().copied().partition(above);
            let mut children: Vec<usize> = neighbours[index].iter().copied().filter(|&child| !seen[child]).collect();
            children.sort_by(|&left, &right| maximal[right].cmp(&maximal[left]));
            waiting.extend(children.into_iter().map(|child| (child, Some(tree.len()))));
            let cells = domain.cells(&clique);
            tree.push(TreeClique { parent, separator: separator.into(), residual: residual.into(), clique, cells });
        }
    }
    tree
}
