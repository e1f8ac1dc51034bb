//! Compiles rules to the combinations of codes that they forbid.

use std::collections::{BTreeMap, BTreeSet};

use super::Rule;
use super::condition::{code_of, code_of_key, meets, skipped_code};
use super::line::Line;
use super::spec::{Condition, RuleSpec};
use crate::domain::Domain;
use crate::domain::clique::{AttributeId, Clique};
use crate::error::SchemaError;
use crate::limits;
use crate::schema::attribute::{Attribute, FieldType};

/// Maximum number of values listed in an error.
const MAX_LISTED_VALUES: usize = 3;

/// The checked columns of the rules.
pub(super) struct Columns<'a> {
    pub(super) attributes: &'a [Attribute],
    pub(super) domain: &'a Domain,
}

impl Columns<'_> {
    /// Compiles a rule: one for every pair of an order, and none if nothing is forbidden.
    pub(super) fn compile(&self, written: usize, rule: &RuleSpec) -> Result<Vec<Rule>, SchemaError> {
        let rules = match rule {
            RuleSpec::Forbid(conditions) => vec![self.forbid(written, conditions)?],
            RuleSpec::Skip { column, unless, label } => {
                vec![self.skip(written, column, unless, label.as_deref())?]
            }
            RuleSpec::Determines { column, other, by } => vec![self.determines(written, column, other, by)?],
            RuleSpec::Order(names) => self.order(written, names)?,
            RuleSpec::Years { years, since, until } => {
                vec![self.years_rule(written, &self.years(years, since, until)?)?]
            }
        };
        Ok(rules.into_iter().filter(|rule| rule.possible.contains(&false)).collect())
    }

    /// The columns of an order, checked to be comparable.
    pub(super) fn ordered(&self, names: &[String]) -> Result<Vec<AttributeId>, SchemaError> {
        let columns = names.iter().map(|name| self.find(name)).collect::<Result<Vec<_>, _>>()?;
        if columns.len() < 2 || columns.iter().collect::<BTreeSet<_>>().len() < columns.len() {
            return Err(SchemaError::table(
                format!("the order of {} does not have two or more different columns", quoted(names.iter())),
                "list two or more columns, each once, the smallest values first",
            ));
        }
        let first = self.attribute(columns[0]);
        for &column in &columns {
            let other = self.attribute(column);
            if Line::of(other).is_none() || !are_comparable(first.field_type(), other.field_type()) {
                return Err(SchemaError::column(
                    other.name(),
                    format!(
                        "is of type `{}` and ordered against `{}` of type `{}`",
                        other.field_type(),
                        first.name(),
                        first.field_type()
                    ),
                    "order columns of the same type: integer, number, date, datetime or year; a date and a year can be ordered too",
                ));
            }
        }
        Ok(columns)
    }

    fn forbid(&self, written: usize, conditions: &BTreeMap<String, Condition>) -> Result<Rule, SchemaError> {
        let conditions = self.conditions(conditions)?;
        let clique = Clique::new(conditions.keys().copied());
        self.rule(written, clique, |codes| !conditions.iter().all(|(column, meets)| meets[codes.of(*column)]))
    }

    fn skip(
        &self,
        written: usize,
        column: &str,
        unless: &BTreeMap<String, Condition>,
        label: Option<&str>,
    ) -> Result<Rule, SchemaError> {
        let skipped = self.find(column)?;
        let code = skipped_code(self.attribute(skipped), label)? as usize;
        let conditions = self.conditions(unless)?;
        if conditions.contains_key(&skipped) {
            return Err(SchemaError::column(
                column,
                "is skipped depending on its own value",
                "name other columns in `unless`",
            ));
        }
        let clique = Clique::new(conditions.keys().copied().chain([skipped]));
        self.rule(written, clique, |codes| {
            let is_asked = conditions.iter().all(|(column, meets)| meets[codes.of(*column)]);
            is_asked != (codes.of(skipped) == code)
        })
    }

    fn determines(
        &self,
        written: usize,
        column: &str,
        other: &str,
        by: &BTreeMap<String, crate::file::spec::Scalar>,
    ) -> Result<Rule, SchemaError> {
        let (from, to) = (self.find(column)?, self.find(other)?);
        if from == to {
            return Err(SchemaError::column(column, "determines itself", "write two different columns"));
        }
        let mut follows: Vec<Option<u32>> = vec![None; self.attribute(from).size() as usize];
        for (key, value) in by {
            let code = code_of_key(self.attribute(from), key)? as usize;
            if follows[code].replace(code_of(self.attribute(to), value)?).is_some() {
                return Err(SchemaError::column(column, format!("has `{key}` twice in `by`"), "keep one of them"));
            }
        }
        let is_declared = |code: &u32| !self.attribute(from).is_special(*code);
        let left_out: Vec<u32> = (0..)
            .zip(&follows)
            .filter(|(_, value)| value.is_none())
            .map(|(code, _)| code)
            .filter(is_declared)
            .collect();
        if !left_out.is_empty() {
            let named = left_out.iter().take(MAX_LISTED_VALUES).map(|&code| self.attribute(from).label(code));
            let named: Vec<String> = named.collect();
            return Err(SchemaError::column(
                column,
                format!(
                    "determines `{other}`, but `by` leaves out {} of its values: {}",
                    left_out.len(),
                    quoted(named.iter())
                ),
                "write the value of the other column for every declared value",
            ));
        }
        self.rule(written, Clique::new([from, to]), |codes| {
            follows[codes.of(from)].is_none_or(|value| codes.of(to) == value as usize)
        })
    }

    /// Compiles all pairs, not only neighbours, because a column in between may be missing.
    fn order(&self, written: usize, names: &[String]) -> Result<Vec<Rule>, SchemaError> {
        let columns = self.ordered(names)?;
        for (place, &first) in columns.iter().enumerate() {
            for &second in &columns[place + 1..] {
                self.check_size(&Clique::new([first, second]))?;
            }
        }
        let lines: Vec<Line> =
            columns.iter().map(|&column| Line::of(self.attribute(column)).expect("was checked")).collect();
        let mut rules = Vec::new();
        for (first, &earlier) in columns.iter().enumerate() {
            for (second, &later) in columns.iter().enumerate().skip(first + 1) {
                if self.attribute(earlier).field_type() != self.attribute(later).field_type() {
                    rules.push(self.year_order_rule(written, earlier, later)?);
                    continue;
                }
                #[expect(clippy::cast_possible_truncation, reason = "codes are below 2^20")]
                rules.push(self.rule(written, Clique::new([earlier, later]), |codes| {
                    let [earlier, later] = [earlier, later].map(|column| codes.of(column) as u32);
                    lines[first].may_be_in_order(earlier, &lines[second], later)
                })?);
            }
        }
        Ok(rules)
    }

    /// For every column, whether each of its codes meets the condition.
    fn conditions(
        &self,
        conditions: &BTreeMap<String, Condition>,
    ) -> Result<BTreeMap<AttributeId, Vec<bool>>, SchemaError> {
        if conditions.is_empty() {
            return Err(SchemaError::table(
                "a rule has no condition",
                "write a column and its values, such as `forbid: {age: {below: 15}, married: true}`",
            ));
        }
        let each = conditions.iter().map(|(name, condition)| {
            let column = self.find(name)?;
            Ok((column, meets(self.attribute(column), condition)?))
        });
        each.collect()
    }

    pub(super) fn rule(
        &self,
        written: usize,
        clique: Clique,
        is_possible: impl Fn(&Codes) -> bool,
    ) -> Result<Rule, SchemaError> {
        self.check_size(&clique)?;
        let sizes: Vec<u32> = clique.attributes().iter().map(|&column| self.domain.size(column)).collect();
        let mut codes = Codes { clique: &clique, codes: vec![0; clique.len()] };
        let mut possible = Vec::new();
        loop {
            possible.push(is_possible(&codes));
            if !advance(&mut codes.codes, &sizes) {
                break;
            }
        }
        let strides = crate::domain::cells::strides(self.domain, &clique);
        Ok(Rule { written, clique, sizes, strides, possible: possible.into() })
    }

    /// Refuses a rule over too many cells before they are allocated.
    pub(super) fn check_size(&self, clique: &Clique) -> Result<(), SchemaError> {
        let cells = self.domain.cells(clique);
        if cells <= limits::CELLS_PER_RULE {
            return Ok(());
        }
        let names: Vec<String> =
            clique.attributes().iter().map(|&column| self.attribute(column).name().into()).collect();
        Err(SchemaError::table(
            format!(
                "a rule on {} has {cells} combinations of codes, at most {} are possible",
                quoted(names.iter()),
                limits::CELLS_PER_RULE
            ),
            "declare wider bins for the columns with the most codes, or write a rule on fewer columns",
        ))
    }

    pub(super) fn find(&self, name: &str) -> Result<AttributeId, SchemaError> {
        let place = self.attributes.iter().position(|attribute| attribute.name() == name);
        place.map(AttributeId::new).ok_or_else(|| {
            SchemaError::table(format!("a rule names an unknown column `{name}`"), "write the name of a field")
        })
    }

    pub(super) fn attribute(&self, column: AttributeId) -> &Attribute {
        &self.attributes[column.index()]
    }
}

/// Whether columns of these types can be ordered: of the same type, or a date and a year.
fn are_comparable(first: FieldType, second: FieldType) -> bool {
    let by_year = |one, other| one == FieldType::Date && other == FieldType::Year;
    first == second || by_year(first, second) || by_year(second, first)
}

/// A code for every column of a clique.
pub(super) struct Codes<'a> {
    clique: &'a Clique,
    codes: Vec<u32>,
}

impl Codes<'_> {
    pub(super) fn of(&self, column: AttributeId) -> usize {
        let place = self.clique.attributes().binary_search(&column).expect("a column of the rule");
        self.codes[place] as usize
    }
}

/// Advances to the codes of the next cell; returns false after the last.
pub(super) fn advance(codes: &mut [u32], sizes: &[u32]) -> bool {
    for (code, &size) in codes.iter_mut().zip(sizes).rev() {
        *code += 1;
        if *code < size {
            return true;
        }
        *code = 0;
    }
    false
}

fn quoted<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
