//! Sets of columns whose marginals are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use scumble_schema::{AttributeId, Clique};

use super::numpy::NumpyDice;
use crate::error::EvaluateError;

/// Seed with which published comparisons draw their sets.
const SEED: u32 = 20_210_811;

/// Sets of columns to compare, by their order: the number of columns.
///
/// Published comparisons draw theirs with numpy's generator. [`MarginalSets::drawn`] draws the same
/// ones, and [`MarginalSets::read`] reads sets from a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarginalSets {
    by_order: BTreeMap<usize, Vec<Clique>>,
}

impl MarginalSets {
    /// Collects sets. Duplicates are dropped.
    pub fn new(cliques: impl IntoIterator<Item = Clique>) -> Self {
        let mut by_order: BTreeMap<usize, Vec<Clique>> = BTreeMap::new();
        for clique in cliques.into_iter().collect::<BTreeSet<_>>() {
            by_order.entry(clique.len()).or_default().push(clique);
        }
        Self { by_order }
    }

    /// Draws the sets of published comparisons on tables of `columns` columns: all sets of each
    /// order, or `count` of them, drawn with a fixed seed, if there are more. Orders above the
    /// number of columns have none.
    pub fn drawn(columns: usize, orders: &[usize], count: usize) -> Self {
        let of_order = |&order: &usize| match number_of_sets(columns, order) {
            Some(all) if all as usize <= count => all_sets(columns, order),
            _ => some_sets(columns, order, count),
        };
        Self::new(orders.iter().filter(|&&order| order <= columns).flat_map(of_order))
    }

    /// Parses a JSON object from orders to lists of lists of column names, such as
    /// `{"2": [["age", "sex"]]}`. `names` are those of all columns, in the order of the domain.
    ///
    /// # Errors
    /// If the text is not such an object, names an unknown column, or a set repeats a column or
    /// does not match its order.
    pub fn parse(text: &str, names: &[String]) -> Result<Self, EvaluateError> {
        let lists: BTreeMap<String, Vec<Vec<String>>> =
            serde_json::from_str(text).map_err(|error| EvaluateError::sets(error.to_string()))?;
        let position: BTreeMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let attribute = |name: &String| match position.get(name.as_str()) {
            Some(&position) => Ok(AttributeId::new(position)),
            None => Err(EvaluateError::sets(format!("unknown column `{name}`"))),
        };
        let mut cliques = Vec::new();
        for (order, sets) in &lists {
            for set in sets {
                let clique = Clique::new(set.iter().map(attribute).collect::<Result<Vec<_>, _>>()?);
                if order.parse() != Ok(clique.len()) || clique.len() != set.len() {
                    return Err(EvaluateError::sets(format!("a set of order `{order}` does not have {order} columns")));
                }
                cliques.push(clique);
            }
        }
        Ok(Self::new(cliques))
    }

    /// Reads sets from a file in the format of [`MarginalSets::parse`].
    ///
    /// # Errors
    /// The errors of [`MarginalSets::parse`], or if the file cannot be read.
    pub fn read(path: &Path, names: &[String]) -> Result<Self, EvaluateError> {
        let text = fs::read_to_string(path).map_err(|source| EvaluateError::Io { path: path.into(), source })?;
        Self::parse(&text, names)
    }

    /// Keeps the sets of the given orders.
    #[must_use]
    pub fn of_orders(mut self, orders: &[usize]) -> Self {
        self.by_order.retain(|order, _| orders.contains(order));
        self
    }

    /// Iterates over the sets by ascending order. Each order has at least one.
    pub fn orders(&self) -> impl Iterator<Item = (usize, &[Clique])> {
        self.by_order.iter().map(|(&order, cliques)| (order, cliques.as_slice()))
    }
}

/// Returns all sets of `order` of `columns` columns.
fn all_sets(columns: usize, order: usize) -> Vec<Clique> {
    let mut sets = vec![Vec::new()];
    for _ in 0..order {
        let next = |set: &Vec<usize>| set.last().map_or(0, |last| last + 1)..columns;
        let longer = |set: Vec<usize>| next(&set).map(move |column| [&set[..], &[column]].concat());
        sets = sets.into_iter().flat_map(longer).collect();
    }
    sets.into_iter().map(|set| Clique::new(set.into_iter().map(AttributeId::new))).collect()
}

/// Draws `count` different sets. There must be more.
fn some_sets(columns: usize, order: usize, count: usize) -> Vec<Clique> {
    const WHY: &str = "a table has at most limits::COLUMNS columns";
    let (columns, order) = (u32::try_from(columns).expect(WHY), u32::try_from(order).expect(WHY));
    let mut dice = NumpyDice::new(&[SEED, columns, order]);
    let mut sets = BTreeSet::new();
    while sets.len() < count {
        sets.insert(dice.choose(columns, order));
    }
    sets.into_iter().map(|set| Clique::new(set.into_iter().map(|column| AttributeId::new(column as usize)))).collect()
}

/// Returns the number of sets of `order` of `columns` columns; `None` if it is 2^32 or more.
fn number_of_sets(columns: usize, order: usize) -> Option<u32> {
    let order = order.min(columns.checked_sub(order)?);
    let mut sets: u128 = 1;
    for chosen in 0..order {
        // A product of n consecutive numbers is divisible by n.
        sets = sets * (columns - chosen) as u128 / (chosen as u128 + 1);
        // At most half of the columns are chosen, so the number grows at each step.
        u32::try_from(sets).ok()?;
    }
    u32::try_from(sets).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["age", "sex", "pay"].map(Into::into).to_vec()
    }

    fn clique(attributes: &[usize]) -> Clique {
        Clique::new(attributes.iter().copied().map(AttributeId::new))
    }

    #[test]
    fn sets_are_read_by_name_in_any_order() {
        let text = r#"{"2": [["pay", "age"], ["sex", "pay"]], "1": [["sex"]]}"#;
        let sets = MarginalSets::parse(text, &names()).unwrap();
        assert_eq!(sets, MarginalSets::new([clique(&[1]), clique(&[0, 2]), clique(&[1, 2])]));
        let orders: Vec<_> = sets.orders().map(|(order, cliques)| (order, cliques.len())).collect();
        assert_eq!(orders, [(1, 1), (2, 2)]);
        assert_eq!(sets.of_orders(&[1, 5]), MarginalSets::new([clique(&[1])]));
    }

    #[test]
    fn duplicates_are_dropped() {
        let sets = MarginalSets::new([clique(&[0, 1]), clique(&[1, 0])]);
        assert_eq!(sets.orders().collect::<Vec<_>>(), [(2, &[clique(&[0, 1])][..])]);
    }

    #[test]
    fn text_that_holds_no_sets_is_refused() {
        for text in
            ["[]", r#"{"1": [["height"]]}"#, r#"{"2": [["age"]]}"#, r#"{"2": [["age", "age"]]}"#, r#"{"x": [["age"]]}"#]
        {
            assert!(matches!(MarginalSets::parse(text, &names()), Err(EvaluateError::Sets { .. })), "{text}");
        }
    }

    #[test]
    fn all_sets_of_an_order_or_the_given_number_are_drawn() {
        let sets = MarginalSets::drawn(5, &[1, 2, 4, 6], 6);
        let orders: Vec<_> = sets.orders().map(|(order, cliques)| (order, cliques.len())).collect();
        assert_eq!(orders, [(1, 5), (2, 6), (4, 5)]);
        assert_eq!(sets.orders().next().unwrap().1[4], clique(&[4]));
        assert_eq!(MarginalSets::drawn(5, &[2], 10).orders().next().unwrap().1.len(), 10);
    }

    #[test]
    fn sets_of_an_order_are_counted() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|order| number_of_sets(4, order)),
            [Some(1), Some(4), Some(6), Some(4), Some(1), None]
        );
        assert_eq!(number_of_sets(15, 3), Some(455));
        assert_eq!(number_of_sets(110, 5), Some(122_391_522));
        assert_eq!(number_of_sets(1000, 5), None);
    }
}
