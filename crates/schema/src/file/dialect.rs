//! The dialect of a table's text files.
//!
//! The properties have the names of the Frictionless dialect and of CSV on the Web.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::column_names::ColumnNames;
use super::spec::is_default;
use crate::error::SchemaError;

/// The dialect of a table's text files.
/// Unknown properties are refused, because ignoring one could change values.
///
/// ```
/// use scumble_schema::{Dialect, Schema};
///
/// let schema = Schema::parse(r#"
/// dialect: {delimiter: ";", encoding: windows-1252}
/// fields: [{name: smoker, type: boolean}]
/// "#)?;
/// assert_eq!(schema.dialect().delimiter, "semicolon".parse().ok());
/// assert_eq!(Dialect::default().quote(), b'"');
/// # Ok::<(), scumble_schema::Problems>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "WrittenDialect")]
pub struct Dialect {
    /// The field separator. By default it is detected from the header line of each CSV file, and is
    /// a tab in TSV files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<AsciiSymbol>,
    /// The quote character; `"` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote_char: Option<AsciiSymbol>,
    /// The first character of comment lines. By default there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_char: Option<AsciiSymbol>,
    /// The character encoding.
    #[serde(skip_serializing_if = "is_default")]
    pub encoding: Encoding,
    /// The line with the names of the columns, also in sheets of workbooks. The lines before it,
    /// such as a title, are not read.
    #[serde(rename = "headerRows", skip_serializing_if = "is_default")]
    pub header_row: HeaderRow,
    /// Names of the columns of files and sheets without a header, whose first line is a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column_names: Option<ColumnNames>,
    /// Whether quoted fields may contain line breaks. By default every line is a record.
    ///
    /// # Privacy
    /// An [`Assumption`](crate::Assumption): one record with a quote that never closes changes how
    /// all others are read.
    #[serde(skip_serializing_if = "is_default")]
    pub multiline: bool,
}

impl Dialect {
    /// The dialect of synthetic rows: every quote is closed, and declared texts may contain line
    /// breaks.
    pub const SYNTHETIC: Self = Self {
        delimiter: None,
        quote_char: None,
        comment_char: None,
        encoding: Encoding::Utf8,
        header_row: HeaderRow::FIRST,
        column_names: None,
        multiline: true,
    };

    /// The byte that opens and closes a quoted field.
    pub fn quote(&self) -> u8 {
        self.quote_char.map_or(b'"', AsciiSymbol::byte)
    }

    /// Refuses a symbol with two meanings, and a header of files without one.
    pub fn check(&self) -> Result<(), SchemaError> {
        let meanings = [
            ("delimiter", self.delimiter.map(AsciiSymbol::byte)),
            ("quoteChar", Some(self.quote())),
            ("commentChar", self.comment_char.map(AsciiSymbol::byte)),
        ];
        for (index, (name, symbol)) in meanings.iter().enumerate() {
            let twin = meanings[index + 1..].iter().find(|(_, other)| symbol.is_some() && symbol == other);
            if let Some((other, _)) = twin {
                return Err(SchemaError::table(
                    format!("`{name}` and `{other}` of the dialect are the same character"),
                    "write different characters; `quoteChar` is the double quote by default",
                ));
            }
        }
        if self.column_names.is_some() && self.header_row != HeaderRow::FIRST {
            return Err(SchemaError::table(
                "the dialect has `columnNames`, for files without a header, and `headerRows`",
                "drop `headerRows`, or `columnNames` if the files have a header",
            ));
        }
        Ok(())
    }
}

/// One ASCII punctuation character, a space or a tab: a delimiter or quote character.
///
/// The words `tab`, `semicolon`, `comma`, `pipe` and `\t` are accepted too, for command lines.
///
/// ```
/// use scumble_schema::AsciiSymbol;
/// assert_eq!("tab".parse::<AsciiSymbol>()?.byte(), b'\t');
/// assert!("ab".parse::<AsciiSymbol>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AsciiSymbol(u8);

impl AsciiSymbol {
    /// The character as a byte.
    pub fn byte(self) -> u8 {
        self.0
    }
}

impl FromStr for AsciiSymbol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.as_bytes() {
            b"tab" | b"\\t" => Ok(Self(b'\t')),
            b"comma" => Ok(Self(b',')),
            b"semicolon" => Ok(Self(b';')),
            b"pipe" => Ok(Self(b'|')),
            &[byte] if byte.is_ascii_punctuation() || matches!(byte, b'\t' | b' ') => Ok(Self(byte)),
            _ => Err(format!("`{}` is not one character such as `;` or `|`, or the word `tab`", text.escape_debug())),
        }
    }
}

impl TryFrom<String> for AsciiSymbol {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<AsciiSymbol> for String {
    fn from(symbol: AsciiSymbol) -> Self {
        char::from(symbol.0).into()
    }
}

impl fmt::Display for AsciiSymbol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b'\t' => formatter.write_str("tab"),
            byte => write!(formatter, "{}", char::from(byte)),
        }
    }
}

/// The line with the names of the columns: 1 for the first line of a file.
///
/// If it is blank, the header is the next line that is not.
///
/// ```
/// use scumble_schema::HeaderRow;
/// assert_eq!("3".parse::<HeaderRow>()?.lines_before(), 2);
/// assert_eq!(HeaderRow::default(), "1".parse()?);
/// assert!("0".parse::<HeaderRow>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<u16>", into = "[u16; 1]")]
pub struct HeaderRow(u16);

impl HeaderRow {
    /// The first line.
    pub const FIRST: Self = Self(1);

    /// Returns the line after this many lines; `None` if there are too many.
    pub fn after(lines: u16) -> Option<Self> {
        lines.checked_add(1).map(Self)
    }

    /// Number of lines before it.
    pub fn lines_before(self) -> u16 {
        self.0 - 1
    }
}

impl Default for HeaderRow {
    fn default() -> Self {
        Self::FIRST
    }
}

impl FromStr for HeaderRow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let line = text.parse().ok().filter(|line| *line > 0);
        line.map(Self).ok_or_else(|| format!("`{}` is not a number from 1 to {}", text.escape_debug(), u16::MAX))
    }
}

impl TryFrom<Vec<u16>> for HeaderRow {
    type Error = String;

    fn try_from(lines: Vec<u16>) -> Result<Self, String> {
        match lines[..] {
            [line] if line > 0 => Ok(Self(line)),
            _ => Err("`headerRows` of the dialect must be a list of one number, such as `[3]`".into()),
        }
    }
}

impl From<HeaderRow> for [u16; 1] {
    fn from(row: HeaderRow) -> Self {
        [row.0]
    }
}

/// The character encoding of text files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    #[default]
    Utf8,
    /// One byte per Western European character. `latin-1` and `iso-8859-1` are read as this
    /// encoding, as in browsers: it only adds printable characters.
    Windows1252,
    /// Two bytes per unit, in the order that the byte order mark at the start of the file shows.
    Utf16,
}

impl Encoding {
    /// The name in schema files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Windows1252 => "windows-1252",
            Self::Utf16 => "utf-16",
        }
    }
}

impl FromStr for Encoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "ascii" | "us-ascii" => Ok(Self::Utf8),
            "windows-1252" | "cp1252" | "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" => Ok(Self::Windows1252),
            "utf-16" | "utf16" => Ok(Self::Utf16),
            _ => Err(format!("unknown encoding `{text}`; write `utf-8`, `latin-1`, `windows-1252` or `utf-16`")),
        }
    }
}

impl TryFrom<String> for Encoding {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Encoding> for String {
    fn from(encoding: Encoding) -> Self {
        encoding.name().into()
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The dialect as written, with the standard properties for which only the default value is
/// supported.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenDialect {
    delimiter: Option<AsciiSymbol>,
    quote_char: Option<AsciiSymbol>,
    comment_char: Option<AsciiSymbol>,
    #[serde(default)]
    encoding: Encoding,
    #[serde(default)]
    header_rows: HeaderRow,
    column_names: Option<ColumnNames>,
    #[serde(default)]
    multiline: bool,
    header: Option<bool>,
    double_quote: Option<bool>,
    skip_initial_space: Option<bool>,
    skip_blank_rows: Option<bool>,
}

impl TryFrom<WrittenDialect> for Dialect {
    type Error = String;

    fn try_from(written: WrittenDialect) -> Result<Self, String> {
        match (written.header, &written.column_names) {
            (Some(false), None) => {
                return Err(
                    "`header: false` of the dialect needs the names of the columns: `columnNames: [age, sex]`".into()
                );
            }
            (Some(true), Some(_)) => {
                return Err("`columnNames` of the dialect are for files without a header: write `header: false`".into());
            }
            _ => {}
        }
        let supported = [
            ("doubleQuote", written.double_quote, true),
            ("skipInitialSpace", written.skip_initial_space, false),
            ("skipBlankRows", written.skip_blank_rows, true),
        ];
        if let Some((name, _, default)) =
            supported.iter().find(|(_, given, default)| given.is_some_and(|given| given != *default))
        {
            return Err(format!("`{name}: {}` of the dialect is not supported, only `{name}: {default}`", !default));
        }
        let WrittenDialect { delimiter, quote_char, comment_char, encoding, column_names, multiline, .. } = written;
        let header_row = written.header_rows;
        let dialect = Self { delimiter, quote_char, comment_char, encoding, header_row, column_names, multiline };
        dialect.check().map_err(|problem| problem.to_string())?;
        Ok(dialect)
    }
}

#[cfg(test)]
mod tests {
    use crate::SchemaSpec;

    use super::*;

    fn dialect(text: &str) -> Result<Dialect, String> {
        let spec = SchemaSpec::parse(&format!("dialect: {text}\nfields: []\n"));
        spec.map(|spec| spec.dialect).map_err(|problem| problem.to_string())
    }

    #[test]
    fn standard_properties_are_read_and_written_back() {
        let read = dialect(
            r##"{delimiter: ";", quoteChar: "'", commentChar: "#", encoding: ISO-8859-1, header: true, headerRows: [3]}"##,
        );
        let read = read.unwrap();
        assert_eq!(read.header_row.lines_before(), 2);
        assert_eq!((read.quote(), read.encoding), (b'\'', Encoding::Windows1252));
        let written = serde_json::to_value(read).unwrap();
        let expected =
            r##"{"delimiter":";","quoteChar":"'","commentChar":"#","encoding":"windows-1252","headerRows":[3]}"##;
        assert_eq!(written, serde_json::from_str::<serde_json::Value>(expected).unwrap());
        assert_eq!(dialect("{headerRows: [1]}").unwrap(), Dialect::default());
        let nameless = dialect("{header: false, columnNames: [age, sex]}").unwrap();
        assert_eq!(nameless, dialect("{columnNames: [age, sex]}").unwrap());
        assert_eq!(serde_json::to_string(&nameless).unwrap(), r#"{"columnNames":["age","sex"]}"#);
        assert_eq!(dialect(r#"{delimiter: "\t"}"#).unwrap().delimiter, "tab".parse().ok());
    }

    #[test]
    fn unsupported_properties_are_refused() {
        for (text, words) in [
            ("{header: false}", "`header: false` of the dialect needs the names of the columns"),
            ("{header: true, columnNames: [a]}", "for files without a header"),
            ("{headerRows: [2], columnNames: [a]}", "`columnNames`, for files without a header, and `headerRows`"),
            ("{columnNames: []}", "no names of columns"),
            ("{columnNames: [a, b, a]}", "two columns have the name `a`"),
            ("{columnNames: [a, '']}", "column 2 has no name"),
            ("{columnNames: [\"a\\nb\"]}", "the name of column 1 has a line break"),
            ("{doubleQuote: false}", "only `doubleQuote: true`"),
            ("{skipInitialSpace: true}", "only `skipInitialSpace: false`"),
            ("{escapeChar: x}", "escapeChar"),
            ("{headerRows: [1, 2]}", "a list of one number, such as `[3]`"),
            ("{headerRows: []}", "a list of one number"),
            ("{headerRows: [0]}", "a list of one number"),
            ("{encoding: utf-32}", "write `utf-8`, `latin-1`, `windows-1252` or `utf-16`"),
            ("{delimiter: ab}", "is not one character"),
            ("{delimiter: '1'}", "is not one character"),
            ("{delimiter: '\"'}", "`delimiter` and `quoteChar` of the dialect are the same character"),
            ("{quoteChar: '#', commentChar: '#'}", "`quoteChar` and `commentChar`"),
        ] {
            let problem = dialect(text).unwrap_err();
            assert!(problem.contains(words), "{text}: {problem}");
        }
    }
}
