//! Checks the names and kinds of a parsed expression.

use sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, CeilFloorKind, DataType, DateTimeField, Expr, FunctionArg, FunctionArgExpr,
    FunctionArguments, Ident, TimezoneInfo, UnaryOperator, Value as Literal,
};

use super::function::{Comparison, Function, Part};
use super::value::{Kind, Value};
use super::{ExpressionError, Input};
use crate::file::similar::similar;
use crate::values::text::{MICROS_PER_DAY, TimeFormat, iso_date};
use crate::values::zone::Zone;

/// A checked expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Column(Column),
    Constant(Value<'static>),
    Call(Function, Vec<Node>),
    Case { branches: Vec<(Node, Node)>, otherwise: Box<Node> },
}

/// A modelled column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    /// Its place among the modelled columns.
    pub(super) place: usize,
    /// The zone of its local times.
    pub(super) zone: Option<Zone>,
}

/// Checks expressions over these columns.
pub(super) struct Checker<'a> {
    pub(super) columns: &'a [Input<'a>],
}

/// An expression with the kind of its values.
type Checked = Result<(Node, Kind), ExpressionError>;

const PARTS: &str = "YEAR, QUARTER, MONTH, WEEK, DAY, DOW, DOY, HOUR, MINUTE, SECOND";

impl Checker<'_> {
    pub(super) fn check(&self, parsed: &Expr) -> Checked {
        match parsed {
            Expr::Nested(inner) => self.check(inner),
            Expr::Identifier(name) => self.column(name),
            Expr::Value(value) => literal(&value.value),
            Expr::TypedString(typed) => match (&typed.data_type, &typed.value.value) {
                (DataType::Date, Literal::SingleQuotedString(text)) => date(text),
                (DataType::Timestamp(..) | DataType::Datetime(_), Literal::SingleQuotedString(text)) => datetime(text),
                (DataType::Time(..), Literal::SingleQuotedString(text)) => time(text),
                _ => Err(unsupported(parsed)),
            },
            Expr::UnaryOp { op: UnaryOperator::Plus, expr } => self.check(expr),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } => self.call(parsed, Function::Negate, [&**expr]),
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => self.call(parsed, Function::Not, [&**expr]),
            Expr::BinaryOp { left, op, right } => match binary(op) {
                Some(function) => self.call(parsed, function, [&**left, &**right]),
                None => Err(unsupported(parsed)),
            },
            Expr::IsNull(inner) => self.call(parsed, Function::IsNull, [&**inner]),
            Expr::IsNotNull(inner) => Ok(not(self.call(parsed, Function::IsNull, [&**inner])?)),
            Expr::Between { expr, negated, low, high } => {
                let above = self.call(parsed, Function::Compare(Comparison::AT_LEAST), [&**expr, &**low])?;
                let below = self.call(parsed, Function::Compare(Comparison::AT_MOST), [&**expr, &**high])?;
                Ok(negated_if(*negated, joined(Function::And, above, below)))
            }
            Expr::InList { expr, list, negated } => {
                let one = |item| self.call(parsed, Function::Compare(Comparison::EQUAL), [&**expr, item]);
                let any = list.iter().map(one).reduce(|any, one| Ok(joined(Function::Or, any?, one?)));
                Ok(negated_if(*negated, any.unwrap_or_else(|| Err(unsupported(parsed)))?))
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                self.case(parsed, operand.as_deref(), conditions, else_result.as_deref())
            }
            Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, expr, data_type, format: None, .. } => {
                match kind_of(data_type) {
                    Some(kind) => self.call(parsed, Function::Cast(kind), [&**expr]),
                    None => Err(ExpressionError::new(
                        format!("has an expression with the type `{data_type}`, which is not known here"),
                        "cast to INTEGER, DOUBLE PRECISION, TEXT, DATE, TIME or TIMESTAMP",
                    )),
                }
            }
            Expr::Extract { field, expr, .. } => {
                let Some(part) = part_of(field) else {
                    let problem = format!("has an expression with `{field}`, which is no known part of a date");
                    return Err(ExpressionError::new(problem, format!("use one of {PARTS}")));
                };
                self.call(parsed, Function::Extract(part), [&**expr])
            }
            Expr::Floor { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
                self.call(parsed, Function::Floor, [&**expr])
            }
            Expr::Ceil { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
                self.call(parsed, Function::Ceil, [&**expr])
            }
            Expr::Substring { expr, substring_from: Some(start), substring_for, .. } => {
                let arguments = [&**expr, &**start].into_iter().chain(substring_for.as_deref());
                self.call(parsed, Function::Substring, arguments)
            }
            Expr::Trim { expr, trim_where: None, trim_what: None, trim_characters: None } => {
                self.call(parsed, Function::Trim, [&**expr])
            }
            Expr::Function(function) => self.function(parsed, function),
            _ => Err(unsupported(parsed)),
        }
    }

    fn column(&self, name: &Ident) -> Checked {
        let names = || self.columns.iter().map(|column| column.name);
        let Some(place) = names().position(|column| column == name.value) else {
            let problem = format!("has an expression with `{}`, which is not a modelled column", name.value);
            let hint = match similar(&name.value, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "name columns of this schema that are read and modelled".into(),
            };
            return Err(ExpressionError::new(problem, hint));
        };
        let Input { field_type, zone, .. } = &self.columns[place];
        Ok((Node::Column(Column { place, zone: zone.cloned() }), Kind::of(*field_type)))
    }

    fn function(&self, parsed: &Expr, function: &sqlparser::ast::Function) -> Checked {
        let is_plain = function.over.is_none()
            && function.filter.is_none()
            && function.null_treatment.is_none()
            && function.within_group.is_empty()
            && matches!(function.parameters, FunctionArguments::None);
        let FunctionArguments::List(list) = &function.args else { return Err(unsupported(parsed)) };
        if !is_plain || list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
            return Err(unsupported(parsed));
        }
        let name = function.name.to_string().to_lowercase();
        let Some(known) = Function::named(&name) else {
            let problem = format!("has an expression with the function `{name}`, which is not known here");
            let hint = match similar(&name, Function::names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("use one of {}", Function::names().collect::<Vec<_>>().join(", ")),
            };
            return Err(ExpressionError::new(problem, hint));
        };
        let argument = |argument: &'_ FunctionArg| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => self.check(argument),
            _ => Err(unsupported(parsed)),
        };
        let arguments = list.args.iter().map(argument).collect::<Result<Vec<_>, _>>()?;
        called(parsed, known, arguments)
    }

    fn call<'e>(&self, parsed: &Expr, function: Function, arguments: impl IntoIterator<Item = &'e Expr>) -> Checked {
        let arguments = arguments.into_iter().map(|argument| self.check(argument)).collect::<Result<Vec<_>, _>>()?;
        called(parsed, function, arguments)
    }

    fn case(
        &self,
        parsed: &Expr,
        operand: Option<&Expr>,
        conditions: &[CaseWhen],
        otherwise: Option<&Expr>,
    ) -> Checked {
        let mut kind = Kind::Nothing;
        let mut result = |(node, of): (Node, Kind)| {
            kind = kind.with(of).ok_or_else(|| {
                ExpressionError::new(
                    format!("has an expression whose branches are {kind} here and {of} there: `{parsed}`"),
                    "give all branches of a CASE the same type",
                )
            })?;
            Ok(node)
        };
        let mut branches = Vec::with_capacity(conditions.len());
        for branch in conditions {
            let (condition, of) = match operand {
                Some(operand) => {
                    self.call(parsed, Function::Compare(Comparison::EQUAL), [operand, &branch.condition])?
                }
                None => self.check(&branch.condition)?,
            };
            if of.with(Kind::Boolean) != Some(Kind::Boolean) {
                let problem = format!("has an expression with the condition `{}`, which is {of}", branch.condition);
                return Err(ExpressionError::new(problem, "compare it with something, as in `x > 0`"));
            }
            branches.push((condition, result(self.check(&branch.result)?)?));
        }
        let otherwise = match otherwise {
            Some(otherwise) => result(self.check(otherwise)?)?,
            None => Node::Constant(Value::Missing),
        };
        Ok((Node::Case { branches, otherwise: Box::new(otherwise) }, kind))
    }
}

fn called(parsed: &Expr, function: Function, arguments: Vec<(Node, Kind)>) -> Checked {
    let (nodes, kinds): (Vec<Node>, Vec<Kind>) = arguments.into_iter().unzip();
    if let Some(kind) = function.kind(&kinds) {
        return Ok((Node::Call(function, nodes), kind));
    }
    let given: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    let problem = format!("has an expression that cannot be computed: `{parsed}` with {}", given.join(" and "));
    let hint = match (function, &kinds[..]) {
        (Function::Divide, [Kind::Whole, Kind::Whole]) => {
            "in SQL this drops the remainder. Write `DIV(a, b)` if that is meant, or else `CAST(a AS DOUBLE PRECISION) / b`"
        }
        (Function::Subtract, [Kind::Datetime, Kind::Datetime]) => {
            "for days between datetimes, write `CAST(a AS DATE) - CAST(b AS DATE)`"
        }
        (Function::Compare(_), [Kind::Date | Kind::Datetime, Kind::Text]) => "write dates as `DATE '2024-12-31'`",
        (Function::Compare(_), [Kind::Time, Kind::Text]) => "write times as `TIME '18:05'`",
        (Function::Join | Function::Concat, _) => "make texts of numbers and dates with `CAST(a AS TEXT)`",
        (Function::Extract(_), [Kind::Age]) => "only YEAR and MONTH of an age are known here",
        _ => "look up the types of the columns, or change them with `CAST(a AS ...)`",
    };
    Err(ExpressionError::new(problem, hint))
}

fn unsupported(parsed: &Expr) -> ExpressionError {
    ExpressionError::new(
        format!("has an expression with `{parsed}`, which is not known here"),
        "use columns, constants, arithmetic, comparisons, CASE, CAST, EXTRACT and functions of one row",
    )
}

fn not((node, kind): (Node, Kind)) -> (Node, Kind) {
    (Node::Call(Function::Not, vec![node]), kind)
}

fn negated_if(negated: bool, checked: (Node, Kind)) -> (Node, Kind) {
    if negated { not(checked) } else { checked }
}

/// Joins two conditions.
fn joined(function: Function, one: (Node, Kind), other: (Node, Kind)) -> (Node, Kind) {
    (Node::Call(function, vec![one.0, other.0]), Kind::Boolean)
}

fn binary(operator: &BinaryOperator) -> Option<Function> {
    Some(match operator {
        BinaryOperator::Plus => Function::Add,
        BinaryOperator::Minus => Function::Subtract,
        BinaryOperator::Multiply => Function::Multiply,
        BinaryOperator::Divide => Function::Divide,
        BinaryOperator::Modulo => Function::Mod,
        BinaryOperator::StringConcat => Function::Join,
        BinaryOperator::And => Function::And,
        BinaryOperator::Or => Function::Or,
        BinaryOperator::Eq => Function::Compare(Comparison::EQUAL),
        BinaryOperator::NotEq => Function::Compare(Comparison::NOT_EQUAL),
        BinaryOperator::Lt => Function::Compare(Comparison::LESS),
        BinaryOperator::LtEq => Function::Compare(Comparison::AT_MOST),
        BinaryOperator::Gt => Function::Compare(Comparison::GREATER),
        BinaryOperator::GtEq => Function::Compare(Comparison::AT_LEAST),
        _ => return None,
    })
}

fn kind_of(data_type: &DataType) -> Option<Kind> {
    Some(match data_type {
        DataType::Int(None) | DataType::Integer(None) | DataType::BigInt(None) | DataType::SmallInt(None) => {
            Kind::Whole
        }
        DataType::Double(_) | DataType::DoublePrecision | DataType::Float(_) | DataType::Real => Kind::Real,
        DataType::Text | DataType::Varchar(None) | DataType::String(None) => Kind::Text,
        DataType::Boolean => Kind::Boolean,
        DataType::Date => Kind::Date,
        DataType::Timestamp(..) => Kind::Datetime,
        DataType::Time(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => Kind::Time,
        _ => return None,
    })
}

fn part_of(field: &DateTimeField) -> Option<Part> {
    Some(match field {
        DateTimeField::Year => Part::Year,
        DateTimeField::Quarter => Part::Quarter,
        DateTimeField::Month => Part::Month,
        DateTimeField::Week(None) => Part::Week,
        DateTimeField::Day => Part::Day,
        DateTimeField::Dow => Part::DayOfWeek,
        DateTimeField::Doy => Part::DayOfYear,
        DateTimeField::Hour => Part::Hour,
        DateTimeField::Minute => Part::Minute,
        DateTimeField::Second => Part::Second,
        _ => return None,
    })
}

fn literal(literal: &Literal) -> Checked {
    Ok(match literal {
        Literal::Null => (Node::Constant(Value::Missing), Kind::Nothing),
        Literal::Boolean(value) => (Node::Constant(Value::Boolean(*value)), Kind::Boolean),
        Literal::SingleQuotedString(text) => (Node::Constant(Value::Text(text.clone().into())), Kind::Text),
        Literal::Number(digits, _) => match (digits.parse::<i64>(), digits.parse::<f64>()) {
            (Ok(value), _) => (Node::Constant(Value::Whole(value)), Kind::Whole),
            (_, Ok(value)) if value.is_finite() => (Node::Constant(Value::Real(value)), Kind::Real),
            _ => {
                let problem = format!("has an expression with the number `{digits}`, which is too large");
                return Err(ExpressionError::new(problem, "write a smaller one"));
            }
        },
        other => {
            let problem = format!("has an expression with the constant `{other}`, which is not known here");
            return Err(ExpressionError::new(problem, "write numbers, texts in single quotes, TRUE, FALSE or NULL"));
        }
    })
}

fn date(text: &str) -> Checked {
    let day = iso_date(text).ok_or_else(|| no_date(text))?;
    Ok((Node::Constant(Value::Date(day.to_epoch_days().into())), Kind::Date))
}

fn datetime(text: &str) -> Checked {
    let clock = TimeFormat::Iso.micros_in(text, None).ok_or_else(|| no_date(text))?;
    Ok((Node::Constant(Value::Datetime(clock)), Kind::Datetime))
}

fn time(text: &str) -> Checked {
    let clock = TimeFormat::Iso.clock(text).filter(|clock| *clock < MICROS_PER_DAY).ok_or_else(|| {
        let problem = format!("has an expression with `{text}`, which is not a time of day");
        ExpressionError::new(problem, "write `TIME '18:05'`")
    })?;
    Ok((Node::Constant(Value::Time(clock)), Kind::Time))
}

fn no_date(text: &str) -> ExpressionError {
    let problem = format!("has an expression with `{text}`, which is not a date");
    ExpressionError::new(problem, "write `DATE '2024-12-31'` or `TIMESTAMP '2024-12-31 23:59:00'`")
}
