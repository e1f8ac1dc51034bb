//! How much of a table its schema covers: shares of missing, unknown and out-of-bounds values.

use std::fmt;

use scumble_engine::exact::ExactCounts;
use scumble_engine::{Input, ReadOptions, TableScan};
use scumble_schema::{Clique, Observed, Observer, Rule, RuleSpec, Schema};
use serde::Serialize;

use crate::NOT_PRIVATE;
use crate::error::EvaluateError;

/// The part of a table that a schema covers, column by column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    stamp: &'static str,
    rows: u64,
    columns: Vec<ColumnCoverage>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RuleCoverage>,
}

/// Shares of rows of one column, between 0 and 1. All are zero for a table without rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnCoverage {
    /// The column.
    pub column: String,
    /// Share of declared values, or of values within the bounds.
    pub declared: f64,
    /// Share of missing values.
    pub missing: f64,
    /// Share of values that are not declared or cannot be parsed.
    pub unknown: f64,
    /// Share of values below the minimum.
    pub below: f64,
    /// Share of values above the maximum.
    pub above: f64,
}

/// Share of rows that break a rule between columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleCoverage {
    /// Number of the rule in the schema file, from 1.
    pub number: usize,
    /// Short description of the rule. An order of more than two columns names the two compared.
    pub rule: String,
    /// Share of rows that break it, as far as their codes show.
    pub broken: f64,
}

impl Coverage {
    /// Counts all rows of `inputs`, without a limit per privacy unit.
    ///
    /// # Errors
    /// If an input cannot be read or lacks a column of the schema, or a column has too many codes.
    pub fn read(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Self, EvaluateError> {
        let observer = Observer::new(schema)?;
        let watching = observer.schema();
        let counts = TableScan::open(inputs, watching, options)?.count_tables(&watching.domain().one_way())?;
        let columns = watching.attributes().iter().zip(&counts);
        let columns =
            columns.map(|(attribute, counts)| ColumnCoverage::new(attribute.name(), observer.observed(counts)));
        let rows = counts.first().map_or(0, |counts| counts.iter().sum());
        let columns = columns.collect();
        Ok(Self { stamp: NOT_PRIVATE, rows, columns, rules: broken_rules(inputs, schema, options)? })
    }

    /// Returns the columns, in schema order.
    pub fn columns(&self) -> &[ColumnCoverage] {
        &self.columns
    }

    /// Returns the rules between columns, in the order of the schema file.
    pub fn rules(&self) -> &[RuleCoverage] {
        &self.rules
    }
}

/// Returns the share of rows that break each rule, with codes as a method reads them.
fn broken_rules(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Vec<RuleCoverage>, EvaluateError> {
    if schema.rules().is_empty() {
        return Ok(Vec::new());
    }
    let every_row = schema.clone().without_unit();
    let cliques: Vec<Clique> = schema.rules().iter().map(|rule| rule.clique().clone()).collect();
    let counts = TableScan::open(inputs, &every_row, options)?.count_tables(&cliques)?;
    let broken = |(rule, counts): (&Rule, &Vec<u64>)| {
        let written = &schema.rule_specs()[rule.index()];
        let names: Vec<&str> =
            rule.clique().attributes().iter().map(|&column| schema.attribute(column).name()).collect();
        let rows = counts.iter().sum();
        RuleCoverage {
            number: rule.index() + 1,
            rule: match written {
                RuleSpec::Order(columns) if columns.len() > 2 => format!("{written}: {}", names.join(", ")),
                _ => written.to_string(),
            },
            broken: share(rule.broken(counts), rows),
        }
    };
    Ok(schema.rules().iter().zip(&counts).map(broken).collect())
}

fn share(count: u64, rows: u64) -> f64 {
    if rows == 0 { 0.0 } else { count as f64 / rows as f64 }
}

impl ColumnCoverage {
    fn new(column: &str, observed: Observed) -> Self {
        let Observed { declared, missing, unknown, below, above } = observed;
        let rows = declared + missing + unknown + below + above;
        let share = |count: u64| share(count, rows);
        Self {
            column: column.into(),
            declared: share(declared),
            missing: share(missing),
            unknown: share(unknown),
            below: share(below),
            above: share(above),
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}\n", self.stamp)?;
        let width = self.columns.iter().map(|column| column.column.chars().count()).max().unwrap_or(0).max(6);
        let names = ["declared", "missing", "unknown", "below", "above"];
        write!(formatter, "{:width$}", "column")?;
        for name in names {
            write!(formatter, "  {name:>8}")?;
        }
        write!(formatter, "   in % of {} rows", self.rows)?;
        for column in &self.columns {
            write!(formatter, "\n{:width$}", column.column)?;
            let shares = [column.declared, column.missing, column.unknown, column.below, column.above];
            for share in shares {
                write!(formatter, "  {:>8}", percent(share))?;
            }
        }
        if !self.rules.is_empty() {
            write!(formatter, "\n\nrows that break a rule, in %")?;
        }
        for rule in &self.rules {
            write!(formatter, "\n{:>8}  rule {} ({})", percent(rule.broken), rule.number, rule.rule)?;
        }
        Ok(())
    }
}

/// Formats a share in per cent. A share above zero never prints as none, one below 1 never as 100.
fn percent(share: f64) -> String {
    match share {
        0.0 => "-".into(),
        1.0 => "100".into(),
        share if share < 0.0001 => "<0.01".into(),
        share if share > 0.9999 => ">99.99".into(),
        share => format!("{:.2}", share * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "\
dp: {privacyUnit: person, maxContributions: 1}
fields:
  - {name: age, type: integer, constraints: {minimum: 18, maximum: 99, required: true}, dp: {bins: {width: 10}}}
  - {name: sex, type: string, constraints: {enum: [f, m]}}
";

    #[test]
    fn missing_unknown_and_out_of_bounds_values_are_counted_apart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("people.csv");
        std::fs::write(&path, "age,sex\n17,f\n18,m\n99,d\n100,\n200,f\n,f\nold,f\n50,f\n").unwrap();
        let schema = Schema::parse(SCHEMA).unwrap();
        let coverage = Coverage::read(&[path.into()], &schema, &ReadOptions::default()).unwrap();
        let [age, sex] = coverage.columns() else { panic!("two columns") };
        assert_eq!((age.declared, age.missing, age.unknown), (0.375, 0.125, 0.125));
        assert_eq!((age.below, age.above), (0.125, 0.25));
        assert_eq!((sex.declared, sex.missing, sex.unknown, sex.below), (0.75, 0.125, 0.125, 0.0));
        assert!(coverage.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
        assert!(serde_json::to_string(&coverage).unwrap().starts_with("{\"stamp\":\"NOT DIFFERENTIALLY PRIVATE"));
    }

    #[test]
    fn rows_that_break_a_rule_are_counted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("people.csv");
        std::fs::write(&path, "age,sex\n25,f\n25,m\n45,m\n,\n").unwrap();
        let rules = "rules: [{forbid: {age: {below: 38}, sex: m}}]";
        let schema =
            Schema::parse(&SCHEMA.replace("maxContributions: 1", &format!("maxContributions: 1, {rules}"))).unwrap();
        let coverage = Coverage::read(&[path.into()], &schema, &ReadOptions::default()).unwrap();
        let [rule] = coverage.rules() else { panic!("one rule") };
        assert_eq!((rule.number, rule.rule.as_str(), rule.broken), (1, "forbid age, sex", 0.25));
        assert!(coverage.to_string().ends_with("rows that break a rule, in %\n   25.00  rule 1 (forbid age, sex)"));
    }

    #[test]
    fn small_shares_do_not_print_as_none() {
        assert_eq!([0.0, 1e-9, 0.125, 1.0 - 1e-9, 1.0].map(percent), ["-", "<0.01", "12.50", ">99.99", "100"]);
    }
}
