//! Reading and writing schema files: YAML, or JSON, which is YAML.

use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::error::SchemaError;
use crate::limits;
use crate::schema::{Problems, Schema};
use crate::similar::similar;
use crate::spec::SchemaSpec;
use crate::standard::StandardFile;

impl Schema {
    /// Reads a schema from YAML or JSON text.
    pub fn parse(text: &str) -> Result<Self, Problems> {
        Self::new(SchemaSpec::parse(text)?)
    }

    /// Reads a schema file, and the files of hierarchies that it names.
    ///
    /// # Errors
    /// [`ReadError::Io`] if the file cannot be read, [`ReadError::Problems`] if it is no sound schema.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Ok(Self::new(SchemaSpec::read_inlined(path)?)?)
    }

    /// The schema as YAML.
    pub fn to_yaml(&self) -> String {
        self.to_spec().to_yaml()
    }
}

impl SchemaSpec {
    /// Reads a schema as written, without checking it.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        // JSON by its own parser, which is faster. What it cannot read may still be YAML in braces.
        if text.trim_start().starts_with('{')
            && let Ok(spec) = serde_json::from_str(text)
        {
            let standard: Option<StandardFile> = serde_json::from_str(text).ok();
            standard.map_or(Ok(()), |file| file.check())?;
            return Ok(spec);
        }
        let spec = parse_yaml(text)?;
        parse_yaml::<StandardFile>(text)?.check()?;
        Ok(spec)
    }

    /// Reads a schema file as written, without checking it.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Ok(Self::parse(&read_text(path)?).map_err(Problems::from)?)
    }

    /// The same, with the files of hierarchies that it names put into it: from there on it needs no other file.
    pub fn read_inlined(path: &Path) -> Result<Self, ReadError> {
        let mut spec = Self::read(path)?;
        spec.inline_hierarchies(path.parent().unwrap_or(Path::new("")))?;
        Ok(spec)
    }

    /// The schema as YAML.
    pub fn to_yaml(&self) -> String {
        serde_saphyr::to_string(self).expect("a schema holds nothing that YAML cannot write")
    }
}

/// Reads YAML within its ceilings.
pub(crate) fn parse_yaml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, SchemaError> {
    serde_saphyr::from_str_with_options(text, yaml_options()).map_err(|error| {
        let problem = first_line(&error.to_string());
        let hint = syntax_hint(text, &problem);
        SchemaError::Syntax { problem, hint }
    })
}

/// What to write instead, as far as the parser's sentence tells.
fn syntax_hint(text: &str, problem: &str) -> String {
    // serde says: unknown field `minimun`, expected one of `minimum`, `maximum`
    let mut quoted = problem.split('`').skip(1).step_by(2);
    if problem.contains("unknown field")
        && let Some(typed) = quoted.next()
        && let Some(near) = similar(typed, quoted)
    {
        return format!("did you mean `{near}`?");
    }
    let is_tab = |line: &str| line.trim_start_matches(' ').starts_with('\t');
    if let Some(line) = text.lines().position(is_tab) {
        return format!("line {} begins with a tab: YAML is indented with spaces", line + 1);
    }
    "compare with what `scumble schema draft DATA` writes; `scumble schema json-schema` lets an editor check as you type".into()
}

/// A schema file that could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read the schema file `{path}`: {kind}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        kind: String,
    },
    /// The file is no sound schema.
    #[error(transparent)]
    Problems(#[from] Problems),
}

impl From<SchemaError> for ReadError {
    fn from(problem: SchemaError) -> Self {
        Self::Problems(problem.into())
    }
}

/// The text of a file that is not larger than a schema can be.
pub(crate) fn read_text(path: &Path) -> Result<String, ReadError> {
    let io = |kind: String| ReadError::Io { path: path.display().to_string(), kind };
    let file = std::fs::File::open(path).map_err(|error| io(io_problem(&error)))?;
    let mut bytes = Vec::new();
    // One byte more than the limit tells a file that is too long without reading all of it.
    file.take(limits::SCHEMA_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| io(io_problem(&error)))?;
    if bytes.len() as u64 > limits::SCHEMA_FILE_BYTES {
        return Err(io(format!("longer than {} bytes", limits::SCHEMA_FILE_BYTES)));
    }
    String::from_utf8(bytes).map_err(|_| io("not UTF-8 text".into()))
}

/// What the operating system refused, in words and by kind only: its own texts may hold more.
pub fn io_problem(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".into(),
        ErrorKind::StorageFull => "no space is left on the disk".into(),
        kind => kind.to_string(),
    }
}

/// What to do where the operating system refused.
pub fn io_hint(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room on that disk, or write to another",
        ErrorKind::NotFound => "make the folder first, or name another",
        _ => "check the path and its permissions",
    }
}

/// Ceilings on what a file may make the parser build: room for ten thousand columns, none for an alias bomb.
fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_events: 4_000_000, max_nodes: 2_000_000, max_depth: 16, max_documents: 1 },
        // `yes` and `no` are categories of many questionnaires, and no truth values.
        strict_booleans: true,
        with_snippet: false,
    }
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or("unreadable").to_owned()
}
