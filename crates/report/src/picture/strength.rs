//! Strength of the tie between two columns of a model.

use scumble_mechanisms::NetworkTables;
use scumble_pgm::{Factor, RowTarget, TreeModel};
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain, cells};

/// Returns the share of rows that would have to change for two columns to be independent: the total
/// variation distance of their table, whose rows have `columns` cells, from the product of its
/// margins.
pub(super) fn from_independence(table: &[f64], columns: usize) -> f64 {
    let total: f64 = table.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    let mut below = vec![0.0; columns];
    for row in table.chunks(columns) {
        below.iter_mut().zip(row).for_each(|(sum, cell)| *sum += cell / total);
    }
    let distance = table.chunks(columns).map(|row| {
        let beside: f64 = row.iter().sum::<f64>() / total;
        row.iter().zip(&below).map(|(cell, below)| (cell / total - beside * below).abs()).sum::<f64>()
    });
    distance.sum::<f64>() / 2.0
}

/// Returns the strengths of pairs of columns of a graphical model.
pub(super) fn in_tree(model: &TreeModel, targets: &[RowTarget], pairs: &[Clique]) -> Vec<f64> {
    let target = |pair: &Clique| targets.iter().find(|target| target.clique() == pair).map(RowTarget::shares);
    let held: Vec<Clique> = pairs.iter().filter(|pair| target(pair).is_none()).cloned().collect();
    // Measured pairs that are no targets are subsets of cliques, so their tables are no larger than
    // those of the model. If computing them fails all the same, the picture has thin lines.
    let Ok(tables) = model.marginals(&held) else { return vec![0.0; pairs.len()] };
    let mut tables = tables.iter();
    let table = |pair| target(pair).unwrap_or_else(|| tables.next().expect("one table per pair"));
    let strength = |table: &Factor| from_independence(table.values(), table.sizes()[1] as usize);
    pairs.iter().map(table).map(strength).collect()
}

/// Returns the strength of two columns of one pair of a network, in the table of its conditional.
pub(super) fn in_network(network: &NetworkTables, pair: usize, columns: [AttributeId; 2]) -> f64 {
    let structure = network.model().network();
    let (domain, conditional) = (structure.domain(), &network.model().conditionals()[pair]);
    let (parents, children) = (structure.pairs()[pair].parents(), structure.pairs()[pair].children());
    let places = columns.map(|column| match Place::of(domain, parents, column) {
        Some(place) => (true, place),
        None => (false, Place::of(domain, children, column).expect("a column of the pair")),
    });
    let [rows, width] = columns.map(|column| domain.size(column) as usize);
    let mut table = vec![0.0; rows * width];
    for (cell, probability) in conditional.joint().iter().enumerate() {
        let [above, below] = [cell / conditional.columns(), cell % conditional.columns()];
        let [first, second] = places.map(|(is_parent, place)| place.code(if is_parent { above } else { below }));
        table[first * width + second] += probability;
    }
    from_independence(&table, width)
}

/// Returns the strength of two columns of released rows.
pub(super) fn in_rows(domain: &Domain, rows: &[CodeColumn], columns: [AttributeId; 2]) -> f64 {
    let [height, width] = columns.map(|column| domain.size(column) as usize);
    let mut table = vec![0.0; height * width];
    let [first, second] = columns.map(|column| &rows[column.index()]);
    for (above, below) in first.iter().zip(second.iter()) {
        table[above as usize * width + below as usize] += 1.0;
    }
    from_independence(&table, width)
}

/// Position of the code of a column within the number of a cell.
#[derive(Clone, Copy)]
struct Place {
    stride: usize,
    size: usize,
}

impl Place {
    fn of(domain: &Domain, clique: &Clique, column: AttributeId) -> Option<Self> {
        let place = clique.attributes().iter().position(|&own| own == column)?;
        Some(Self { stride: cells::strides(domain, clique)[place], size: domain.size(column) as usize })
    }

    fn code(self, cell: usize) -> usize {
        cell / self.stride % self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_columns_have_strength_zero_and_equal_ones_much() {
        assert!(from_independence(&[2.0, 4.0, 3.0, 6.0], 2).abs() < 1e-12);
        assert!((from_independence(&[5.0, 0.0, 0.0, 5.0], 2) - 0.5).abs() < 1e-12);
        assert!((from_independence(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 3) - 2.0 / 3.0).abs() < 1e-12);
        assert!(from_independence(&[0.0; 6], 3).abs() < 1e-12, "nothing is no relation");
    }

    #[test]
    fn rows_are_counted() {
        let domain = Domain::new(vec![2, 2]).unwrap();
        let rows = [[0, 0, 1, 1], [0, 0, 1, 1]].map(|codes| CodeColumn::U8(codes.to_vec()));
        assert!((in_rows(&domain, &rows, [0, 1].map(AttributeId::new)) - 0.5).abs() < 1e-12);
    }
}
