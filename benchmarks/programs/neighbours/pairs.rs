//! Neighbouring files: a small table full of junk, the same file with one more line or row, and
//! that line or row alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use futures::{StreamExt, TryStreamExt};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{EngineError, Input, ReadOptions, TableScan, TableWriter};
use scumble_schema::limits::FIELD_BYTES;
use scumble_schema::{AttributeId, Clique, Dialect, Schema};

use crate::random::Random;

/// The formats that a pair may have.
pub(crate) const FORMATS: [&str; 8] = ["csv", "tsv", "csv.gz", "parquet", "arrow", SEMICOLONS, DIALECT, NAMELESS];
/// A text file whose header decides on semicolons.
const SEMICOLONS: &str = "semicolons.csv";
/// A text file with its own quote and comment characters.
const DIALECT: &str = "dialect.csv";
/// CSV without a header.
const NAMELESS: &str = "nameless.csv";

/// One text in this number is longer than a field may be.
const HUGE_ONE_IN: usize = 400;

/// Texts that a reader may trip over. None has a line end: that would be two lines.
const TEXTS: [&[u8]; 28] = [
    b"",
    b"f",
    b"m",
    b"7",
    b"42",
    b"\"",
    b"\"x",
    b"x\"",
    b"\"\"",
    b"\"\"\"",
    b"\"f\"",
    b"\"f",
    b"\"a\"\"b\"",
    b"\"a,b\"",
    b"\"a\tb",
    b"\",",
    b",\"",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB\xBFf",
    b"\0",
    b"no\0thing",
    b"\xFF\xFE",
    b"\xC3\x28",
    b" ",
    b"'x",
    b"'f'",
    b"'a;b",
    b"#f",
];

/// Which table a pair holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Three columns.
    Rows,
    /// One column, where a blank line is a row.
    OneColumn,
    /// Three columns behind that of the unit, with up to two rows of each unit.
    Units,
}

pub(crate) const KINDS: [Kind; 3] = [Kind::Rows, Kind::OneColumn, Kind::Units];

impl Kind {
    pub(crate) fn schema(self) -> Schema {
        let unit = match self {
            Self::Units => "dp: {privacyUnit: id, maxContributions: 2}\n",
            Self::Rows | Self::OneColumn => "",
        };
        let others = "
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 10}}}
  - {name: note, type: string, constraints: {enum: ['7', 'x\"', '\"x', 'a,b']}, dp: {open: true}}";
        let others = if self == Self::OneColumn { "" } else { others };
        let sex = "fields:\n  - {name: sex, type: string, constraints: {enum: [f, m]}, dp: {open: true}}";
        Schema::parse(&format!("{unit}{sex}{others}\n")).expect("the schema is sound")
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Rows => &["sex", "age", "note"],
            Self::OneColumn => &["sex"],
            Self::Units => &["id", "sex", "age", "note"],
        }
    }
}

/// A pair of files, and what is added.
pub(crate) struct Pair {
    pub(crate) schema: Schema,
    pub(crate) without: PathBuf,
    pub(crate) with: PathBuf,
    pub(crate) alone: PathBuf,
    /// Whether what is added may have an identifier that other rows have.
    pub(crate) shares_unit: bool,
}

impl Pair {
    /// Writes a pair in `format` below `directory`.
    pub(crate) fn write(directory: &Path, format: &str, kind: Kind, random: &mut Random) -> Self {
        let shares_unit = kind == Kind::Units && random.below(2) == 0;
        let names = ["without", "with", "alone"].map(|name| directory.join(format!("{name}.{format}")));
        let tables = match format {
            "parquet" | "arrow" => Table::typed(kind, shares_unit, random),
            _ => {
                let delimiter = match format {
                    "tsv" => b'\t',
                    SEMICOLONS | DIALECT => b';',
                    _ => b',',
                };
                Table::text(delimiter, format != NAMELESS, kind, shares_unit, random)
            }
        };
        for (path, table) in names.iter().zip(tables) {
            table.write(path);
        }
        let [without, with, alone] = names;
        let dialect = match format {
            DIALECT => Dialect { quote_char: "'".parse().ok(), comment_char: "#".parse().ok(), ..Dialect::default() },
            NAMELESS => {
                let column_names = kind.columns().join(",").parse().ok();
                Dialect { delimiter: "comma".parse().ok(), column_names, ..Dialect::default() }
            }
            _ => Dialect::default(),
        };
        Self { schema: kind.schema().with_dialect(dialect), without, with, alone, shares_unit }
    }

    /// What is wrong with the pair, if anything is: see [`differs_by_one_row`].
    pub(crate) fn check(&self) -> Result<(), String> {
        let [without, with, alone] = [&self.without, &self.with, &self.alone].map(|path| counts(path, &self.schema));
        match (without, with, alone) {
            (Ok(without), Ok(with), Ok(alone)) => {
                differs_by_one_row(&without, &with, if self.shares_unit { None } else { Some(&alone) })
            }
            results => Err(format!("a file is refused: {:?}", [results.0.err(), results.1.err(), results.2.err()])),
        }
    }
}

/// A table as it is to be written.
enum Table {
    Text(Vec<u8>),
    Typed(RecordBatch),
}

impl Table {
    /// Lines of a text file without and with one more, and that one alone, under one header.
    fn text(delimiter: u8, has_header: bool, kind: Kind, shares_unit: bool, random: &mut Random) -> [Self; 3] {
        let mut lines: Vec<Vec<u8>> = (0..random.below(12)).map(|_| line(delimiter, kind, None, random)).collect();
        let fresh = (kind == Kind::Units && !shares_unit).then_some("fresh");
        let added = line(delimiter, kind, fresh, random);
        let alone = vec![added.clone()];
        let without = lines.clone();
        lines.insert(random.below(lines.len() + 1), added);
        let mark: &[u8] = if random.below(8) == 0 { b"\xEF\xBB\xBF" } else { b"" };
        let header = [mark, kind.columns().join(&char::from(delimiter).to_string()).as_bytes()].concat();
        let line_end: &[u8] = [&b"\n"[..], b"\r\n", b"\r"][random.below(3)];
        let open_end = random.below(4) == 0;
        [without, lines, alone].map(|lines| {
            let mut bytes = if has_header { [&header, line_end].concat() } else { vec![] };
            for line in &lines {
                bytes.extend_from_slice(line);
                bytes.extend_from_slice(line_end);
            }
            // A blank line is one by its line end.
            if open_end && lines.last().is_some_and(|last| !last.is_empty()) {
                bytes.truncate(bytes.len() - line_end.len());
            }
            Self::Text(bytes)
        })
    }

    /// Rows of a typed file without and with one more, and that one alone.
    fn typed(kind: Kind, shares_unit: bool, random: &mut Random) -> [Self; 3] {
        let mut rows: Vec<Row> = (0..random.below(12)).map(|_| Row::new(None, random)).collect();
        let added = Row::new((kind == Kind::Units && !shares_unit).then_some("fresh"), random);
        let without = rows.clone();
        rows.insert(random.below(rows.len() + 1), added.clone());
        [without, rows, vec![added]].map(|rows| Self::Typed(batch(kind, &rows)))
    }

    fn write(self, path: &Path) {
        match self {
            Self::Text(bytes) if path.extension().is_some_and(|extension| extension == "gz") => {
                fs::write(path, gzip(bytes)).expect("a temporary file");
            }
            Self::Text(bytes) => fs::write(path, bytes).expect("a temporary file"),
            Self::Typed(batch) => {
                let mut writer = TableWriter::create(path, batch.schema()).expect("a temporary file");
                writer.write(&batch).expect("columns of the file");
                writer.finish().expect("a temporary file");
            }
        }
    }
}

/// A line without its end: as many fields as there are columns, or fewer, or more, of any bytes but
/// line ends.
fn line(delimiter: u8, kind: Kind, id: Option<&str>, random: &mut Random) -> Vec<u8> {
    let columns = kind.columns().len();
    let fields = if random.below(3) == 0 { random.below(columns + 4) } else { columns };
    let mut line = vec![];
    if kind == Kind::Units {
        // The identifier stands first, so that nothing in the line can change it.
        line.extend_from_slice(id.map_or_else(|| random.below(5).to_string(), str::to_owned).as_bytes());
        line.push(delimiter);
    }
    for field in 0..fields {
        if field > 0 {
            line.push(delimiter);
        }
        line.extend(bytes(random).into_iter().filter(|byte| !matches!(byte, b'\n' | b'\r')));
    }
    line
}

fn bytes(random: &mut Random) -> Vec<u8> {
    if random.below(HUGE_ONE_IN) == 0 {
        return [&b"\""[..], &vec![b'x'; FIELD_BYTES + random.below(2)], b"\""][random.below(2)..].concat();
    }
    match random.below(8) {
        0 => (0..random.below(20)).map(|_| random.next().to_le_bytes()[0]).collect(),
        1 => (0..random.below(12)).map(|_| b"\",\t\"f7 \0"[random.below(8)]).collect(),
        2 => random.below(120).to_string().into_bytes(),
        _ => TEXTS[random.below(TEXTS.len())].to_vec(),
    }
}

/// A row of a typed file: bytes may be any, text is UTF-8, and any of them may be missing.
#[derive(Debug, Clone)]
struct Row {
    id: String,
    sex: Option<Vec<u8>>,
    age: Option<i64>,
    note: Option<String>,
}

impl Row {
    fn new(id: Option<&str>, random: &mut Random) -> Self {
        let some = |random: &mut Random| random.below(6) > 0;
        Self {
            id: id.map_or_else(|| random.below(5).to_string(), str::to_owned),
            sex: some(random).then(|| bytes(random)),
            age: some(random).then(|| random.next().cast_signed() >> random.below(64)),
            note: some(random).then(|| String::from_utf8_lossy(&bytes(random)).into_owned()),
        }
    }
}

fn batch(kind: Kind, rows: &[Row]) -> RecordBatch {
    let columns = kind.columns().iter().map(|name| {
        let column: ArrayRef = match *name {
            "id" => Arc::new(rows.iter().map(|row| Some(row.id.as_str())).collect::<StringArray>()),
            "sex" => Arc::new(rows.iter().map(|row| row.sex.as_deref()).collect::<BinaryArray>()),
            "age" => Arc::new(rows.iter().map(|row| row.age).collect::<Int64Array>()),
            _ => Arc::new(rows.iter().map(|row| row.note.as_deref()).collect::<StringArray>()),
        };
        (*name, column, true)
    });
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

fn gzip(bytes: Vec<u8>) -> Vec<u8> {
    let chunk = futures::stream::once(async move { Ok(Bytes::from(bytes)) }).boxed();
    let stream = FileCompressionType::GZIP.convert_to_compress_stream(chunk).expect("gzip is built in");
    let chunks: Vec<Bytes> = futures::executor::block_on(stream.try_collect()).expect("bytes in memory");
    chunks.concat()
}

/// Number of rows, and the tables of all columns and pairs, by a scan of the file.
pub(crate) fn counts(path: &Path, schema: &Schema) -> Result<Vec<Vec<u64>>, EngineError> {
    let ids: Vec<AttributeId> = schema.domain().attributes().collect();
    let pairs = ids.iter().flat_map(|one| ids.iter().map(|other| Clique::new([*one, *other])));
    let cliques: Vec<Clique> = std::iter::once(Clique::empty()).chain(pairs).collect();
    let options = ReadOptions { threads: Some(1), ..ReadOptions::default() };
    TableScan::open(&[Input::new(path)], schema, &options)?.count_tables(&cliques)
}

/// Checks that tables differ by the row `alone`, cell by cell. Without it, the row may take the
/// place of another one of its unit: there is one row more, or one is exchanged, or nothing
/// changes.
pub(crate) fn differs_by_one_row(
    without: &[Vec<u64>],
    with: &[Vec<u64>],
    alone: Option<&[Vec<u64>]>,
) -> Result<(), String> {
    for (table, (without, with)) in without.iter().zip(with).enumerate() {
        let holds = if let Some(alone) = alone {
            without.iter().zip(&alone[table]).map(|(one, other)| one + other).eq(with.iter().copied())
        } else {
            let (gained, lost) = without.iter().zip(with).fold((0, 0), |(gained, lost), (without, with)| {
                (gained + with.saturating_sub(*without), lost + without.saturating_sub(*with))
            });
            gained <= 1 && lost <= gained
        };
        if !holds {
            return Err(format!("table {table} differs by more than the row: {without:?}, {with:?}, {alone:?}"));
        }
    }
    Ok(())
}
