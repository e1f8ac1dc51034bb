//! Derived columns: SQL expressions over the modelled columns of a row.
//!
//! A derived column is never read and never modelled. It is computed from the other values of a
//! synthetic row, so it always agrees with them: an age from two dates, a total of parts, a group
//! of codes from their first letters.
//!
//! The language is a part of SQL, with the meaning that PostgreSQL gives it. The text is parsed by
//! the parser of DataFusion. Its types are checked with the schema, so that computing cannot fail:
//! what has no value, such as a division by zero, is missing.
//!
//! ```text
//!  text ──▶ sqlparser ──▶ check (names, types) ──▶ Node ──▶ evaluate (rows) ──▶ column
//! ```

mod check;
mod evaluate;
mod function;
mod result;
#[cfg(test)]
mod tests;
mod value;

use std::fmt;

use arrow_array::ArrayRef;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use self::check::{Checker, Node};
pub(crate) use self::result::ResultType;
use self::value::Kind;
use crate::schema::attribute::{Attribute, FieldType};
use crate::values::encode::{Values, WholeLine};
use crate::values::zone::Zone;

/// Maximum length of an expression, in bytes.
pub(crate) const MAX_LENGTH: usize = 2_000;

/// A checked expression over the modelled columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expression {
    root: Node,
    kind: Kind,
}

/// A column that an expression may name.
#[derive(Debug, Clone)]
pub(crate) struct Input<'a> {
    pub(crate) name: &'a str,
    pub(crate) field_type: FieldType,
    /// The zone of its local times.
    pub(crate) zone: Option<&'a Zone>,
}

impl<'a> Input<'a> {
    /// Returns a modelled column.
    pub(crate) fn of(attribute: &'a Attribute) -> Self {
        let zone = match &attribute.encoder().values {
            Values::Whole { line: WholeLine::Datetime(_, zone), .. } => zone.as_ref(),
            _ => None,
        };
        Self { name: attribute.name(), field_type: attribute.field_type(), zone }
    }
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionError {
    /// What is wrong.
    pub(crate) problem: String,
    /// How to fix it.
    pub(crate) hint: String,
}

impl ExpressionError {
    fn new(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { problem: problem.into(), hint: hint.into() }
    }
}

impl Expression {
    /// Parses an expression and checks its names and types. Columns are computed with their places
    /// here.
    pub(crate) fn parse(text: &str, columns: &[Input<'_>]) -> Result<Self, ExpressionError> {
        const HINT: &str = "write an SQL expression such as `part1 + part2` or `EXTRACT(YEAR FROM born)`; names with \
                            spaces or capitals in double quotes";
        if text.len() > MAX_LENGTH {
            let problem = format!("has an expression of more than {MAX_LENGTH} bytes");
            return Err(ExpressionError::new(problem, "shorten it"));
        }
        let unparsed = |error: &dyn fmt::Display| {
            let error = error.to_string();
            let error = error.strip_prefix("sql parser error: ").unwrap_or(&error);
            ExpressionError::new(format!("has an expression that is not SQL: {error}"), HINT)
        };
        let mut parser = Parser::new(&PostgreSqlDialect {}).try_with_sql(text).map_err(|error| unparsed(&error))?;
        let parsed = parser.parse_expr().map_err(|error| unparsed(&error))?;
        let rest = parser.peek_token();
        if rest.token != Token::EOF {
            let problem = format!("has an expression that goes on after its end, with `{}`", rest.token);
            return Err(ExpressionError::new(problem, HINT));
        }
        let (root, kind) = Checker { columns }.check(&parsed)?;
        Ok(Self { root, kind })
    }

    /// Returns the kind of the values.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Computes the values of all rows, from the decoded modelled columns.
    pub(crate) fn values(&self, columns: &[ArrayRef], rows: usize, result: &ResultType) -> ArrayRef {
        result.collect((0..rows).map(|row| self.root.value(columns, row)))
    }
}
