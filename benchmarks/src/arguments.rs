//! Command lines of programs: parts to run, options with values, and switches.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;

use crate::{Result, data};

/// What a program accepts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage<'a> {
    /// Parts that run unless some are named.
    pub parts: &'a [&'static str],
    /// Parts that run only when they are named.
    pub on_request: &'a [&'static str],
    /// Options that are followed by a value.
    pub options: &'a [&'static str],
    /// Options without a value.
    pub switches: &'a [&'static str],
}

/// A command line that the program accepts.
#[derive(Debug)]
pub struct Arguments {
    parts: Vec<&'static str>,
    values: BTreeMap<&'static str, String>,
    switches: BTreeSet<&'static str>,
}

impl Arguments {
    /// Reads what follows the name of the program.
    pub fn parse(words: &[String], usage: &Usage) -> Result<Self> {
        let mut arguments = Self { parts: Vec::new(), values: BTreeMap::new(), switches: BTreeSet::new() };
        let known_parts = [usage.parts, usage.on_request].concat();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if let Some(option) = find(usage.options, word) {
                let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
                arguments.values.insert(option, value.clone());
            } else if let Some(switch) = find(usage.switches, word) {
                arguments.switches.insert(switch);
            } else if let Some(part) = find(&known_parts, word) {
                arguments.parts.push(part);
            } else {
                let known = [&known_parts[..], usage.options, usage.switches].concat();
                return Err(format!("unknown argument `{word}`; expected one of: {}", known.join(", ")).into());
            }
        }
        if arguments.parts.is_empty() {
            arguments.parts = usage.parts.to_vec();
        }
        Ok(arguments)
    }

    /// The parts to run: those that are named, or else all usual ones.
    pub fn parts(&self) -> &[&'static str] {
        &self.parts
    }

    /// The value of an option, if it is given.
    pub fn value<T: FromStr<Err: Error + Send + Sync + 'static>>(&self, option: &str) -> Result<Option<T>> {
        let parse = |value: &String| value.parse().map_err(|error| format!("{option} {value}: {error}").into());
        self.values.get(option).map(parse).transpose()
    }

    /// The values of an option that are separated by commas, if it is given.
    pub fn list(&self, option: &str) -> Option<Vec<&str>> {
        self.values.get(option).map(|values| values.split(',').collect())
    }

    /// Whether a switch is given.
    pub fn has(&self, switch: &str) -> bool {
        self.switches.contains(switch)
    }

    /// The folder for files: `--output`, or that of the documentation.
    pub fn output(&self) -> PathBuf {
        self.values.get("--output").map_or_else(data::published, PathBuf::from)
    }
}

fn find(names: &[&'static str], word: &str) -> Option<&'static str> {
    names.iter().find(|name| **name == word).copied()
}
