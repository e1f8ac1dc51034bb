//! Schemas as their users see them: files, domains, rules, values in and out.
//!
//! One program: a program for each file would be linked ten times.

mod assumptions;
mod example_schemas;
mod foreign;
mod generated;
mod hierarchy;
mod json_schema;
mod round_trip;
mod rules;
mod rules_between_columns;
mod years;
