//! Reads and writes schema files in YAML or JSON.

pub(crate) mod atomic_file;
pub(crate) mod column_names;
pub(crate) mod dialect;
pub(crate) mod preset;
pub(crate) mod similar;
pub(crate) mod spec;
mod standard;

use std::io::{ErrorKind, Read};
use std::path::Path;

use self::similar::similar;
use self::spec::SchemaSpec;
use self::standard::StandardFile;
use crate::error::SchemaError;
use crate::limits;
use crate::schema::{Problems, Schema};

impl Schema {
    /// Parses and checks a schema in YAML or JSON.
    pub fn parse(text: &str) -> Result<Self, Problems> {
        Self::new(SchemaSpec::parse(text)?)
    }

    /// Reads and checks a schema file, including its hierarchy files.
    ///
    /// # Errors
    /// [`ReadError::Io`] if a file cannot be read, [`ReadError::Problems`] if the schema is
    /// invalid.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Ok(Self::new(SchemaSpec::read_inlined(path)?)?)
    }

    /// The schema as YAML.
    pub fn to_yaml(&self) -> String {
        self.to_spec().to_yaml()
    }
}

impl SchemaSpec {
    /// Parses a schema in YAML or JSON without checking it.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        // The JSON parser is faster. What it cannot parse may still be YAML in braces.
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

    /// Reads a schema file without checking it.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Ok(Self::parse(&read_text(path)?).map_err(Problems::from)?)
    }

    /// Reads a schema file without checking it, and inlines its hierarchy files.
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

/// Parses YAML within fixed limits of size and depth.
pub(crate) fn parse_yaml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, SchemaError> {
    serde_saphyr::from_str_with_options(text, yaml_options()).map_err(|error| {
        let problem = first_line(&error.to_string());
        let hint = syntax_hint(text, &problem);
        SchemaError::Syntax { problem, hint }
    })
}

/// A hint for the parser's message.
fn syntax_hint(text: &str, problem: &str) -> String {
    // serde writes: unknown field `minimun`, expected one of `minimum`, `maximum`
    let mut quoted = problem.split('`').skip(1).step_by(2);
    if problem.contains("unknown field")
        && let Some(typed) = quoted.next()
        && let Some(near) = similar(typed, quoted)
    {
        return format!("did you mean `{near}`?");
    }
    let is_tab = |line: &str| line.trim_start_matches(' ').starts_with('\t');
    if let Some(line) = text.lines().position(is_tab) {
        return format!("indent line {} with spaces: YAML does not allow tabs", line + 1);
    }
    "compare with the output of `scumble schema draft DATA`; with `scumble schema json-schema` an editor checks the file as you type".into()
}

/// Why a schema file could not be read.
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
    /// The schema is invalid.
    #[error(transparent)]
    Problems(#[from] Problems),
}

impl From<SchemaError> for ReadError {
    fn from(problem: SchemaError) -> Self {
        Self::Problems(problem.into())
    }
}

/// Reads a text file of at most [`limits::SCHEMA_FILE_BYTES`].
pub(crate) fn read_text(path: &Path) -> Result<String, ReadError> {
    let io = |kind: String| ReadError::Io { path: path.display().to_string(), kind };
    let file = std::fs::File::open(path).map_err(|error| io(io_problem(&error)))?;
    let mut bytes = Vec::new();
    // One byte more than the limit detects a file that is too long without reading all of it.
    file.take(limits::SCHEMA_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| io(io_problem(&error)))?;
    if bytes.len() as u64 > limits::SCHEMA_FILE_BYTES {
        return Err(io(format!("longer than {} bytes", limits::SCHEMA_FILE_BYTES)));
    }
    String::from_utf8(bytes).map_err(|_| io("not UTF-8 text".into()))
}

/// Describes an I/O error by its kind only, because its message may contain more.
pub fn io_problem(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".into(),
        ErrorKind::StorageFull => "no space is left on the disk".into(),
        kind => kind.to_string(),
    }
}

/// A hint for an I/O error while writing.
pub fn io_hint(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free space on that disk, or write to another",
        ErrorKind::NotFound => "create the folder first, or name another",
        _ => "check the path and its permissions",
    }
}

/// Limits of the YAML parser: enough for ten thousand columns, too few for an alias bomb.
fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_events: 4_000_000, max_nodes: 2_000_000, max_depth: 16, max_documents: 1 },
        // `yes` and `no` are categories in many questionnaires, not booleans.
        strict_booleans: true,
        with_snippet: false,
    }
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or("unreadable").to_owned()
}
