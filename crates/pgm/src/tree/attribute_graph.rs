//! The graph of attributes that are together in a clique.
//!
//! The neighbours of an attribute are a bit set: those of a thousand attributes take sixteen words,
//! and set operations run word by word.

use scumble_schema::{Clique, Domain};

/// An undirected graph; vertices are numbered from zero.
#[derive(Debug, Clone)]
pub(crate) struct AttributeGraph {
    words: usize,
    rows: Vec<u64>,
}

impl AttributeGraph {
    /// Makes a graph of `vertices` vertices without edges.
    fn without_edges(vertices: usize) -> Self {
        let words = vertices.div_ceil(64);
        Self { words, rows: vec![0; vertices * words] }
    }

    /// Makes the graph of the domain's attributes, with an edge between any two of the same clique.
    pub(crate) fn of_cliques(domain: &Domain, cliques: &[Clique]) -> Self {
        let mut graph = Self::without_edges(domain.len());
        let mut set = vec![0; graph.words];
        for clique in cliques {
            if let [left, right] = *clique.attributes() {
                // Most cliques are pairs, and setting two bits is faster than going through a set.
                graph.connect(left.index(), right.index());
                continue;
            }
            set.fill(0);
            for attribute in clique.attributes() {
                insert(&mut set, attribute.index());
            }
            for attribute in clique.attributes() {
                let row = graph.row_mut(attribute.index());
                row.iter_mut().zip(&set).for_each(|(row, set)| *row |= set);
                remove(row, attribute.index());
            }
        }
        graph
    }

    /// Returns the subgraph of some vertices, numbered by their position in `kept`.
    pub(crate) fn restricted(&self, kept: &[usize]) -> Self {
        let mut number = vec![usize::MAX; self.vertices()];
        for (position, &vertex) in kept.iter().enumerate() {
            number[vertex] = position;
        }
        let mut graph = Self::without_edges(kept.len());
        for (position, &vertex) in kept.iter().enumerate() {
            for neighbour in ones(self.row(vertex)) {
                if number[neighbour] != usize::MAX {
                    insert(graph.row_mut(position), number[neighbour]);
                }
            }
        }
        graph
    }

    /// Returns the number of vertices.
    pub(crate) fn vertices(&self) -> usize {
        self.rows.len().checked_div(self.words).unwrap_or(0)
    }

    /// Returns the number of words in a set of vertices.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Returns the neighbours of a vertex, as a set.
    pub(crate) fn row(&self, vertex: usize) -> &[u64] {
        &self.rows[vertex * self.words..(vertex + 1) * self.words]
    }

    /// Returns the number of neighbours of a vertex.
    pub(crate) fn degree(&self, vertex: usize) -> usize {
        count(self.row(vertex))
    }

    /// Whether any two neighbours of a vertex are neighbours of each other.
    pub(crate) fn is_simplicial(&self, vertex: usize) -> bool {
        let neighbours = self.row(vertex);
        ones(neighbours).all(|neighbour| {
            // One is missing: the neighbour itself, which is not its own neighbour.
            neighbours.iter().zip(self.row(neighbour)).map(|(set, row)| (set & !row).count_ones()).sum::<u32>() == 1
        })
    }

    /// Returns the number of edges missing between the neighbours of a vertex.
    pub(crate) fn fill(&self, vertex: usize) -> u64 {
        let neighbours = self.row(vertex);
        let mut missing = 0;
        for neighbour in ones(neighbours) {
            let row = self.row(neighbour);
            missing += neighbours.iter().zip(row).map(|(set, row)| u64::from((set & !row).count_ones())).sum::<u64>();
            missing -= 1; // The neighbour itself.
        }
        missing / 2
    }

    /// Connects a vertex's neighbours with each other. Calls `added` with each vertex that gains
    /// neighbours and the set of them.
    pub(crate) fn saturate(&mut self, vertex: usize, mut added: impl FnMut(&Self, usize, &[u64])) {
        let neighbours = self.row(vertex).to_vec();
        let mut new = vec![0; self.words];
        for neighbour in ones(&neighbours) {
            let row = self.row_mut(neighbour);
            for ((new, set), row) in new.iter_mut().zip(&neighbours).zip(row) {
                *new = set & !*row;
                *row |= set;
            }
            remove(&mut new, neighbour);
            remove(self.row_mut(neighbour), neighbour);
            if new.iter().any(|&word| word != 0) {
                added(self, neighbour, &new);
            }
        }
    }

    /// Calls `call` for every common neighbour of two vertices, except for `eliminated` and its
    /// neighbours. A new edge between the two vertices is one missing edge fewer for each of them.
    pub(crate) fn for_common(&self, left: usize, right: usize, eliminated: usize, mut call: impl FnMut(usize)) {
        let rows = self.row(left).iter().zip(self.row(right)).zip(self.row(eliminated));
        for (index, ((left, right), out)) in rows.enumerate() {
            let mut common = left & right & !out;
            if eliminated / 64 == index {
                common &= !(1 << (eliminated % 64));
            }
            while common != 0 {
                call(index * 64 + common.trailing_zeros() as usize);
                common &= common - 1;
            }
        }
    }

    /// Removes a vertex from its neighbours' rows. Its own row keeps its former neighbours.
    pub(crate) fn detach(&mut self, vertex: usize) {
        for word in 0..self.words {
            let mut left = self.rows[vertex * self.words + word];
            while left != 0 {
                let neighbour = word * 64 + left.trailing_zeros() as usize;
                remove(self.row_mut(neighbour), vertex);
                left &= left - 1;
            }
        }
    }

    fn connect(&mut self, left: usize, right: usize) {
        insert(self.row_mut(left), right);
        insert(self.row_mut(right), left);
    }

    fn row_mut(&mut self, vertex: usize) -> &mut [u64] {
        &mut self.rows[vertex * self.words..(vertex + 1) * self.words]
    }
}

/// Returns the members of a set, ascending.
pub(crate) fn ones(set: &[u64]) -> Ones<'_> {
    Ones { rest: set, word: 0, next: 0 }
}

/// The iterator of [`ones`]. A chain of standard adapters is three times slower, and elimination
/// spends most of its time here.
pub(crate) struct Ones<'a> {
    rest: &'a [u64],
    word: u64,
    /// The first member of the word after the current one.
    next: usize,
}

impl Iterator for Ones<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            let (&word, rest) = self.rest.split_first()?;
            (self.word, self.rest) = (word, rest);
            self.next += 64;
        }
        let member = self.next - 64 + self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(member)
    }
}

/// Returns the number of members of a set.
pub(crate) fn count(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// Adds a member to a set.
pub(crate) fn insert(set: &mut [u64], member: usize) {
    set[member / 64] |= 1 << (member % 64);
}

fn remove(set: &mut [u64], member: usize) {
    set[member / 64] &= !(1 << (member % 64));
}
