//! Rules between columns, as combinations of codes that cannot be.
//!
//! Every rule of a schema comes to tables over a few columns that tell, cell by cell, what is possible. Methods give those tables
//! to the model as structural zeros, so that no row that breaks a rule has any probability. Two values of an order that
//! share a bin are put in order when codes become values again.

mod compile;
mod condition;
mod consistency;
mod in_order;
mod line;
mod spec;
mod years;

pub use self::spec::{Condition, RangeSpec, RuleSpec};

use self::compile::Columns;
use self::consistency::Consistency;
pub(crate) use self::in_order::InOrder;
pub(crate) use self::years::{DaysInYears, Years};
use crate::attribute::Attribute;
use crate::clique::{AttributeId, Clique};
use crate::codes::CodeColumn;
use crate::domain::Domain;
use crate::error::SchemaError;
use crate::limits;

/// A rule that was checked: which combinations of some columns' codes can be.
///
/// ```
/// use scumble_schema::Schema;
/// let schema = Schema::parse(r#"
/// dp:
///   rules:
///     - forbid: {age: {below: 15}, married: true}
/// fields:
///   - {name: age, type: integer, constraints: {minimum: 0, maximum: 19, required: true}, dp: {bins: {width: 5}}}
///   - {name: married, type: boolean, constraints: {required: true}}
/// "#)?;
/// let [rule] = schema.rules() else { panic!("there is one") };
/// assert_eq!(rule.possible(), [true, false, true, false, true, false, true, true]);
/// assert!(!rule.allows(&[2, 1]) && rule.allows(&[3, 1]));
/// # Ok::<(), scumble_schema::Problems>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    written: usize,
    clique: Clique,
    /// The numbers of codes of the clique's columns.
    sizes: Vec<u32>,
    /// The steps between neighbouring codes of these.
    strides: Vec<usize>,
    possible: Box<[bool]>,
}

impl Rule {
    /// The place of the rule in the schema file that it comes from.
    pub fn written(&self) -> usize {
        self.written
    }

    /// The columns that it is about.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// What is possible, in the order of the cells of a table over the clique.
    pub fn possible(&self) -> &[bool] {
        &self.possible
    }

    /// Whether a row with these codes of the clique's columns is possible.
    ///
    /// # Panics
    /// If these are not codes of the clique's columns.
    pub fn allows(&self, codes: &[u32]) -> bool {
        assert_eq!(codes.len(), self.strides.len(), "one code for every column of the rule");
        self.possible[codes.iter().zip(&self.strides).map(|(&code, stride)| code as usize * stride).sum::<usize>()]
    }

    /// Whether a row is possible that has these codes in all columns of the schema, in its order.
    ///
    /// # Panics
    /// If these are not codes of the schema's columns.
    pub fn allows_row(&self, row: &[u32]) -> bool {
        self.allows(&self.clique.attributes().iter().map(|column| row[column.index()]).collect::<Vec<_>>())
    }

    /// How many of the rows that were counted in a table over the clique break the rule.
    pub fn broken(&self, counts: &[u64]) -> u64 {
        self.possible.iter().zip(counts).filter(|(possible, _)| !**possible).map(|(_, count)| count).sum()
    }

    /// How many rows break the rule. Columns are all those of the schema, in its order.
    ///
    /// # Panics
    /// If they are not.
    pub fn violations(&self, columns: &[CodeColumn]) -> u64 {
        let own: Vec<&CodeColumn> = self.clique.attributes().iter().map(|column| &columns[column.index()]).collect();
        let rows = own.first().map_or(0, |column| column.len());
        let cell = |row: usize| {
            own.iter().zip(&self.strides).map(|(column, stride)| column.get(row) as usize * stride).sum::<usize>()
        };
        (0..rows).filter(|&row| !self.possible[cell(row)]).count() as u64
    }
}

/// All rules of a schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Rules {
    pub(crate) list: Vec<Rule>,
    /// The pairs of columns of which the second is never below the first.
    pub(crate) ascending: Vec<(AttributeId, AttributeId)>,
    /// The pairs of a column of days and one of calendar years, of which the second is in no earlier year than the first.
    pub(crate) year_orders: Vec<(AttributeId, AttributeId)>,
    /// Columns of completed years, with the days since and until which they are.
    pub(crate) years: Vec<Years>,
    /// Declared values that no row can have.
    pub(crate) never: Vec<(AttributeId, u32)>,
}

impl Rules {
    /// Checks the rules of a schema, one by one and together.
    pub(crate) fn new(attributes: &[Attribute], domain: &Domain, written: &[RuleSpec]) -> Result<Self, SchemaError> {
        if written.len() > limits::RULES {
            return Err(SchemaError::table(
                format!("there are {} rules, at most {} are possible", written.len(), limits::RULES),
                "leave out rules, or write several as one",
            ));
        }
        let columns = Columns { attributes, domain };
        let (mut list, mut ascending, mut year_orders, mut years) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut cells = 0_u128;
        for (place, rule) in written.iter().enumerate() {
            let compiled = columns.compile(place, rule)?;
            cells += compiled.iter().map(|rule| rule.possible.len() as u128).sum::<u128>();
            if cells > limits::CELLS_OF_RULES {
                return Err(SchemaError::table(
                    format!("rules are about more than {} combinations of codes", limits::CELLS_OF_RULES),
                    "declare wider bins for the columns with most codes, or fewer rules",
                ));
            }
            list.extend(compiled);
            match rule {
                RuleSpec::Order(names) => {
                    let ordered = columns.ordered(names)?;
                    let field_type = |column: AttributeId| attributes[column.index()].field_type();
                    for (first, &earlier) in ordered.iter().enumerate() {
                        for &later in &ordered[first + 1..] {
                            let is_one_type = field_type(earlier) == field_type(later);
                            if is_one_type { &mut ascending } else { &mut year_orders }.push((earlier, later));
                        }
                    }
                }
                RuleSpec::Years { years: column, since, until } => years.push(columns.years(column, since, until)?),
                RuleSpec::Forbid(_) | RuleSpec::Skip { .. } | RuleSpec::Determines { .. } => {}
            }
        }
        ascending.sort_unstable();
        ascending.dedup();
        check_orders(attributes, &ascending)?;
        let never = Consistency::new(domain, &list).check().map_err(|rules| contradiction(&rules, written))?;
        let never = never.into_iter().filter(|&(column, code)| !attributes[column.index()].is_special(code)).collect();
        Ok(Self { list, ascending, year_orders, years, never })
    }
}

/// Refuses columns that are in order only by way of a third. Where that one has no value, nothing would be said of the two, and
/// where it has one, bins would have to be looked at by threes.
fn check_orders(attributes: &[Attribute], ascending: &[(AttributeId, AttributeId)]) -> Result<(), SchemaError> {
    let name = |column: AttributeId| attributes[column.index()].name();
    for &(first, second) in ascending {
        for &(_, third) in ascending.iter().filter(|&&(earlier, _)| earlier == second) {
            if third == first {
                return Err(SchemaError::table(
                    format!("`{}` and `{}` are ordered both ways", name(first), name(second)),
                    "keep one of the two orders; columns that are always equal are one column",
                ));
            }
            if ascending.binary_search(&(first, third)).is_err() {
                let [first, second, third] = [first, second, third].map(name);
                return Err(SchemaError::table(
                    format!("`{first}` and `{third}` are in order only by way of `{second}`"),
                    format!("write one rule for the three: `order: [{first}, {second}, {third}]`"),
                ));
            }
        }
    }
    Ok(())
}

fn contradiction(rules: &[usize], written: &[RuleSpec]) -> SchemaError {
    let named: Vec<String> = rules.iter().map(|&rule| format!("rule {} ({})", rule + 1, written[rule])).collect();
    let problem = match named.as_slice() {
        [one] => format!("no row can keep {one}"),
        _ => format!("no row can keep all of these together: {}", named.join(", ")),
    };
    SchemaError::table(problem, "mend or drop one of them; without any one of them the others can be kept")
}
