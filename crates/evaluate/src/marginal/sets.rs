//! Sets of columns whose marginals are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use scumble_schema::{AttributeId, Clique, drawn_sets};

use crate::error::EvaluateError;

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
        Self::new(orders.iter().flat_map(|&order| drawn_sets(columns, order, count)))
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
}
