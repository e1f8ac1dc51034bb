//! Which marginals are judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use scumble_schema::{AttributeId, Clique};

use crate::error::EvaluateError;

/// Sets of columns to judge, by their order.
///
/// Published comparisons draw theirs with numpy's generator, so they are read from the file that `evaluate.py sets`
/// writes rather than drawn again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarginalSets {
    by_order: BTreeMap<usize, Vec<Clique>>,
}

impl MarginalSets {
    /// These sets; one that is given twice is judged once.
    pub fn new(cliques: impl IntoIterator<Item = Clique>) -> Self {
        let mut by_order: BTreeMap<usize, Vec<Clique>> = BTreeMap::new();
        for clique in cliques.into_iter().collect::<BTreeSet<_>>() {
            by_order.entry(clique.len()).or_default().push(clique);
        }
        Self { by_order }
    }

    /// The sets in a JSON object from orders to lists of lists of column names, such as `{"2": [["age", "sex"]]}`.
    /// `names` are those of all columns, in the order of the domain.
    ///
    /// # Errors
    /// If the text is something else, names an unknown column, or a set repeats a column or is not of its order.
    pub fn parse(text: &str, names: &[String]) -> Result<Self, EvaluateError> {
        let lists: BTreeMap<String, Vec<Vec<String>>> =
            serde_json::from_str(text).map_err(|error| EvaluateError::sets(error.to_string()))?;
        let position: BTreeMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let attribute = |name: &String| match position.get(name.as_str()) {
            Some(&position) => Ok(AttributeId::new(position)),
            None => Err(EvaluateError::sets(format!("there is no column `{name}`"))),
        };
        let mut cliques = Vec::new();
        for (order, sets) in &lists {
            for set in sets {
                let clique = Clique::new(set.iter().map(attribute).collect::<Result<Vec<_>, _>>()?);
                if order.parse() != Ok(clique.len()) || clique.len() != set.len() {
                    return Err(EvaluateError::sets(format!("a set of order `{order}` has not so many columns")));
                }
                cliques.push(clique);
            }
        }
        Ok(Self::new(cliques))
    }

    /// The same from a file.
    ///
    /// # Errors
    /// As those of [`MarginalSets::parse`], or if the file cannot be read.
    pub fn read(path: &Path, names: &[String]) -> Result<Self, EvaluateError> {
        let text = fs::read_to_string(path).map_err(|source| EvaluateError::Io { path: path.into(), source })?;
        Self::parse(&text, names)
    }

    /// Those of the given orders alone.
    #[must_use]
    pub fn of_orders(mut self, orders: &[usize]) -> Self {
        self.by_order.retain(|order, _| orders.contains(order));
        self
    }

    /// The sets by ascending order, at least one of each.
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
    fn a_set_given_twice_is_judged_once() {
        let sets = MarginalSets::new([clique(&[0, 1]), clique(&[1, 0])]);
        assert_eq!(sets.orders().collect::<Vec<_>>(), [(2, &[clique(&[0, 1])][..])]);
    }

    #[test]
    fn what_is_no_list_of_sets_is_refused() {
        for text in
            ["[]", r#"{"1": [["height"]]}"#, r#"{"2": [["age"]]}"#, r#"{"2": [["age", "age"]]}"#, r#"{"x": [["age"]]}"#]
        {
            assert!(matches!(MarginalSets::parse(text, &names()), Err(EvaluateError::Sets { .. })), "{text}");
        }
    }
}
