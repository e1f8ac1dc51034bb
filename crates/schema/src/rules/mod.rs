//! Rules between columns, as forbidden combinations of codes.
//!
//! Every rule is compiled to tables over a few columns that mark each cell as possible or not.
//! Methods give these tables to the model as structural zeros, so rows that break a rule have
//! probability 0. Ordered values that share a bin are put in order by the decoder.

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
use crate::domain::Domain;
use crate::domain::clique::{AttributeId, Clique};
use crate::domain::codes::CodeColumn;
use crate::error::SchemaError;
use crate::limits;
use crate::schema::attribute::Attribute;

/// A compiled rule: the possible combinations of codes of its columns.
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
    /// Number of codes of each column of the clique.
    sizes: Vec<u32>,
    /// Strides of the table over the clique.
    strides: Vec<usize>,
    possible: Box<[bool]>,
}

impl Rule {
    /// The index of the rule in the schema file.
    pub fn index(&self) -> usize {
        self.written
    }

    /// The columns of the rule.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// Whether each cell of the table over the clique is possible.
    pub fn possible(&self) -> &[bool] {
        &self.possible
    }

    /// Whether this combination of codes of the clique's columns is possible.
    ///
    /// # Panics
    /// If the codes are not those of the clique's columns.
    pub fn allows(&self, codes: &[u32]) -> bool {
        assert_eq!(codes.len(), self.strides.len(), "one code for every column of the rule");
        self.possible[codes.iter().zip(&self.strides).map(|(&code, stride)| code as usize * stride).sum::<usize>()]
    }

    /// Whether a row, with one code per column of the schema, keeps the rule.
    ///
    /// # Panics
    /// If the codes are not those of the schema's columns.
    pub fn allows_row(&self, row: &[u32]) -> bool {
        self.allows(&self.clique.attributes().iter().map(|column| row[column.index()]).collect::<Vec<_>>())
    }

    /// Number of rows that break the rule, from the counts of the table over the clique.
    pub fn broken(&self, counts: &[u64]) -> u64 {
        self.possible.iter().zip(counts).filter(|(possible, _)| !**possible).map(|(_, count)| count).sum()
    }

    /// Number of rows that break the rule, from the columns of the schema, in order.
    ///
    /// # Panics
    /// If the columns are not those of the schema.
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
    /// Pairs of columns whose second value is never below the first.
    pub(crate) ascending: Vec<(AttributeId, AttributeId)>,
    /// Pairs of a date and a year column, in either order, whose second value is in no earlier year
    /// than the first.
    pub(crate) year_orders: Vec<(AttributeId, AttributeId)>,
    /// Rules on completed years.
    pub(crate) years: Vec<Years>,
    /// Codes of declared values that no row can have.
    pub(crate) never: Vec<(AttributeId, u32)>,
}

impl Rules {
    /// Compiles the rules of a schema, and checks that they do not contradict each other.
    pub(crate) fn new(attributes: &[Attribute], domain: &Domain, written: &[RuleSpec]) -> Result<Self, SchemaError> {
        if written.len() > limits::RULES {
            return Err(SchemaError::table(
                format!("there are {} rules, at most {} are possible", written.len(), limits::RULES),
                "drop rules, or combine several into one",
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
                    format!("all rules together have more than {} combinations of codes", limits::CELLS_OF_RULES),
                    "declare wider bins for the columns with the most codes, or fewer rules",
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

/// Refuses orders that are not transitively closed. If the column in between is missing, the other
/// two would be unordered, and otherwise bins would have to be checked in triples.
fn check_orders(attributes: &[Attribute], ascending: &[(AttributeId, AttributeId)]) -> Result<(), SchemaError> {
    let name = |column: AttributeId| attributes[column.index()].name();
    for &(first, second) in ascending {
        for &(_, third) in ascending.iter().filter(|&&(earlier, _)| earlier == second) {
            if third == first {
                return Err(SchemaError::table(
                    format!("`{}` and `{}` are ordered both ways", name(first), name(second)),
                    "drop one of the two orders; of columns that are always equal, drop one",
                ));
            }
            if ascending.binary_search(&(first, third)).is_err() {
                let [first, second, third] = [first, second, third].map(name);
                return Err(SchemaError::table(
                    format!("`{first}` and `{third}` are ordered only through `{second}`"),
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
    SchemaError::table(problem, "change or drop one of them; without any one of them the others can be kept")
}
