//! A server that answers like PostgreSQL, except for one answer.
//!
//! It knows the statements of the source, each by a word that only this one has, and answers
//! whenever a client waits: after the first message, a query, or a `Sync`.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;

/// Longer than a client needs for its next message. A client that waits in vain is let go.
const PATIENCE: Duration = Duration::from_millis(500);
/// The end of every answer: the client may continue.
const READY: [u8; 6] = [b'Z', 0, 0, 0, 5, b'I'];

/// Numbers of types.
mod oid {
    pub(super) const BOOL: u32 = 16;
    pub(super) const CHAR: u32 = 18;
    pub(super) const NAME: u32 = 19;
    pub(super) const INT8: u32 = 20;
    pub(super) const INT4: u32 = 23;
    pub(super) const TEXT: u32 = 25;
    pub(super) const OID: u32 = 26;
    pub(super) const FLOAT8: u32 = 701;
    pub(super) const DATE: u32 = 1082;
    pub(super) const TIMESTAMP: u32 = 1114;
    /// A type that the client has to ask for.
    pub(super) const MOOD: u32 = 90_000;
}
use oid::{BOOL, CHAR, DATE, FLOAT8, INT4, INT8, MOOD, NAME, OID, TEXT, TIMESTAMP};

/// What a server answers, in the order of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Start,
    Begin,
    /// Preparing the statement whose columns are those of the table.
    Columns,
    /// The description of the columns only, framed as the protocol has it.
    ColumnList,
    PrepareTable,
    Table,
    PrepareType,
    Type,
    PrepareEnum,
    Enum,
    PrepareAttributes,
    Attributes,
    PrepareCopy,
    Copy,
    /// The rows in the copy only, framed as the protocol has it.
    Rows,
    /// A statement is closed. This answer is never replaced.
    Closed,
}

impl Answer {
    pub(crate) const ALL: [Self; 15] = [
        Self::Rows,
        Self::ColumnList,
        Self::Start,
        Self::Begin,
        Self::Columns,
        Self::PrepareTable,
        Self::Table,
        Self::PrepareType,
        Self::Type,
        Self::PrepareEnum,
        Self::Enum,
        Self::PrepareAttributes,
        Self::Attributes,
        Self::PrepareCopy,
        Self::Copy,
    ];

    /// Returns the answers to preparing and to running a statement.
    fn of_statement(text: &[u8]) -> [Self; 2] {
        let has = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
        if has("COPY (") {
            [Self::PrepareCopy, Self::Copy]
        } else if has("relkind") {
            [Self::PrepareTable, Self::Table]
        } else if has("pg_enum") {
            [Self::PrepareEnum, Self::Enum]
        } else if has("pg_attribute") {
            [Self::PrepareAttributes, Self::Attributes]
        } else if has("typname") {
            [Self::PrepareType, Self::Type]
        } else {
            [Self::Columns, Self::Begin]
        }
    }

    /// Returns the answer of a sound server. `other` replaces a part of it.
    fn sound(self, other: Option<(Self, &[u8])>) -> Vec<u8> {
        let other = |part: Self| other.filter(|(answer, _)| *answer == part).map(|(_, content)| content.to_vec());
        let parts = match self {
            Self::Start => vec![
                message(b'R', &0_u32.to_be_bytes()),
                message(b'S', b"server_encoding\0UTF8\0"),
                message(b'S', b"client_encoding\0UTF8\0"),
            ],
            Self::Closed => vec![message(b'3', b"")],
            Self::Begin => vec![message(b'C', b"BEGIN\0")],
            Self::Columns | Self::ColumnList => {
                let columns = [
                    ("city", TEXT),
                    ("age", INT4),
                    ("income", FLOAT8),
                    ("married", BOOL),
                    ("born", DATE),
                    ("seen", TIMESTAMP),
                    ("mood", MOOD),
                ];
                let list = other(Self::ColumnList).unwrap_or_else(|| column_list(&columns));
                prepared(&[], Some(list))
            }
            Self::PrepareTable => prepared(&[TEXT], Some(column_list(&[("oid", OID), ("case", INT8)]))),
            Self::PrepareType => {
                let columns = [NAME, CHAR, OID, OID, OID, NAME, OID].map(|kind| ("of", kind));
                prepared(&[OID], Some(column_list(&columns)))
            }
            Self::PrepareEnum => prepared(&[OID], Some(column_list(&[("enumlabel", NAME)]))),
            Self::PrepareAttributes => prepared(&[OID], Some(column_list(&[("attname", NAME), ("atttypid", OID)]))),
            Self::PrepareCopy => prepared(&[], None),
            Self::Table => found(&[Some(&16_384_u32.to_be_bytes()), Some(&8_192_i64.to_be_bytes())]),
            Self::Type => {
                let none = 0_u32.to_be_bytes();
                found(&[Some(b"mood"), Some(b"e"), Some(&none), None, Some(&none), Some(b"public"), Some(&none)])
            }
            Self::Enum => found(&[Some(b"merry")]),
            Self::Attributes => found(&[Some(b"part"), Some(&INT4.to_be_bytes())]),
            Self::Copy | Self::Rows => {
                let rows = other(Self::Rows).unwrap_or_else(sound_rows);
                // A chunk may end anywhere in a row.
                let chunks = rows.chunks(rows.len() / 3 + 1).map(|chunk| message(b'd', chunk));
                let head = [message(b'2', b""), message(b'H', &[1, 0, 0])];
                head.into_iter().chain(chunks).chain([message(b'c', b""), message(b'C', b"COPY 2\0")]).collect()
            }
        };
        [parts.concat(), READY.to_vec()].concat()
    }
}

fn message(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len() + 4).expect("a short message");
    [&[kind], length.to_be_bytes().as_slice(), content].concat()
}

/// The answer to preparing a statement with these parameters and columns.
fn prepared(parameters: &[u32], columns: Option<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut types = u16::try_from(parameters.len()).expect("few parameters").to_be_bytes().to_vec();
    types.extend(parameters.iter().flat_map(|kind| kind.to_be_bytes()));
    let columns = columns.map_or_else(|| message(b'n', b""), |columns| message(b'T', &columns));
    vec![message(b'1', b""), message(b't', &types), columns]
}

fn column_list(columns: &[(&str, u32)]) -> Vec<u8> {
    let mut list = u16::try_from(columns.len()).expect("few columns").to_be_bytes().to_vec();
    for (name, kind) in columns {
        // Table, number of the column, type, its length, its modifier, and the format.
        let after = [&[0; 6][..], &kind.to_be_bytes(), &[0xFF; 6], &[0, 0]].concat();
        list.extend([name.as_bytes(), b"\0", &after].concat());
    }
    list
}

/// The answer to running a statement that finds one row.
fn found(fields: &[Option<&[u8]>]) -> Vec<Vec<u8>> {
    vec![message(b'2', b""), message(b'D', &row(fields)), message(b'C', b"SELECT 1\0")]
}

fn row(fields: &[Option<&[u8]>]) -> Vec<u8> {
    let mut row = u16::try_from(fields.len()).expect("few fields").to_be_bytes().to_vec();
    for field in fields {
        let length = field.map_or(-1, |bytes| i32::try_from(bytes.len()).expect("a short field"));
        row.extend([&length.to_be_bytes()[..], field.unwrap_or_default()].concat());
    }
    row
}

fn sound_rows() -> Vec<u8> {
    let first: [Option<&[u8]>; 6] = [
        Some(b"Bergen"),
        Some(&41_i32.to_be_bytes()),
        Some(&250.5_f64.to_be_bytes()),
        Some(&[1]),
        Some(&(-8_000_i32).to_be_bytes()),
        Some(&640_000_000_000_000_i64.to_be_bytes()),
    ];
    let header = [&b"PGCOPY\n\xFF\r\n\0"[..], &[0; 8]].concat();
    [header, row(&first), row(&[None; 6]), vec![0xFF, 0xFF]].concat()
}

/// Returns whether these bytes are whole messages, of which the last, and no other, lets the client
/// continue.
fn is_whole(mut bytes: &[u8]) -> bool {
    while let Some((head, rest)) = bytes.split_first_chunk::<5>() {
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let content = usize::try_from(length).ok().and_then(|length| length.checked_sub(4));
        let Some((_, after)) = content.and_then(|content| rest.split_at_checked(content)) else { return false };
        if head[0] == b'Z' {
            return after.is_empty();
        }
        bytes = after;
    }
    false
}

/// A server in a directory of its own, until the process ends.
pub(crate) struct Server {
    directory: TempDir,
    replaced: Arc<Mutex<(Answer, Vec<u8>)>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let listener = UnixListener::bind(directory.path().join(".s.PGSQL.5432")).expect("a new name");
        let replaced = Arc::new(Mutex::new((Answer::Start, Vec::new())));
        let script = Arc::clone(&replaced);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, content) = script.lock().expect("nobody panics with it").clone();
                // The client has gone, or is let go.
                std::thread::spawn(move || drop(serve(stream, answer, &content)));
            }
        });
        Self { directory, replaced }
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Replaces one answer of all connections from now on.
    pub(crate) fn replace(&self, answer: Answer, content: &[u8]) {
        *self.replaced.lock().expect("nobody panics with it") = (answer, content.to_vec());
    }
}

fn serve(mut stream: UnixStream, replaced: Answer, content: &[u8]) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = number(&mut stream)?;
    skip(&mut stream, length.saturating_sub(4))?;
    let mut statements = HashMap::new();
    let mut answer = Answer::Start;
    loop {
        if answer == replaced {
            stream.write_all(content)?;
            if !is_whole(content) {
                return stream.shutdown(Shutdown::Write);
            }
        } else {
            stream.write_all(&answer.sound(Some((replaced, content))))?;
        }
        let Some(next) = wait(&mut stream, &mut statements)? else { return Ok(()) };
        answer = next;
    }
}

/// Reads messages until the client waits for an answer, and returns that answer; `None` if it says
/// goodbye. `statements` has the answer to running each prepared statement, by its name.
fn wait(stream: &mut UnixStream, statements: &mut HashMap<Vec<u8>, Answer>) -> io::Result<Option<Answer>> {
    let mut asked = Answer::Closed;
    loop {
        let mut kind = [0];
        stream.read_exact(&mut kind)?;
        let length = number(stream)?;
        let mut content = vec![0; usize::try_from(length.saturating_sub(4)).expect("a short message")];
        stream.read_exact(&mut content)?;
        let mut words = content.split(|byte| *byte == 0);
        match kind[0] {
            b'Q' => return Ok(Some(Answer::Begin)),
            b'P' => {
                let [prepared, run] = Answer::of_statement(&content);
                statements.insert(words.next().unwrap_or_default().to_vec(), run);
                asked = prepared;
            }
            // The name of the statement comes after that of its portal.
            b'B' => asked = words.nth(1).and_then(|name| statements.get(name)).copied().unwrap_or(asked),
            b'S' => return Ok(Some(asked)),
            b'X' => return Ok(None),
            _ => {}
        }
    }
}

fn number(stream: &mut UnixStream) -> io::Result<u32> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes)?;
    Ok(u32::from_be_bytes(bytes))
}

fn skip(stream: &mut UnixStream, length: u32) -> io::Result<()> {
    io::copy(&mut stream.take(length.into()), &mut io::sink()).map(drop)
}

/// Returns inputs of the target by name: the sound answers, and an error.
pub fn sound_answers() -> Vec<(&'static str, Vec<u8>)> {
    let columns = [("city", TEXT), ("age", INT4), ("born", DATE), ("seen", TIMESTAMP), ("mood", MOOD)];
    let error = message(b'E', b"SERROR\0VERROR\0C42501\0Mpermission denied for table people\0\0");
    let inputs = [
        ("rows", Answer::Rows, sound_rows()),
        ("columns", Answer::ColumnList, column_list(&columns)),
        ("start", Answer::Start, Answer::Start.sound(None)),
        ("begin", Answer::Begin, Answer::Begin.sound(None)),
        ("table", Answer::Table, Answer::Table.sound(None)),
        ("type", Answer::Type, Answer::Type.sound(None)),
        ("enum", Answer::Enum, Answer::Enum.sound(None)),
        ("copy", Answer::Copy, Answer::Copy.sound(None)),
        ("error", Answer::Columns, [error, READY.to_vec()].concat()),
    ];
    let selected = |answer| {
        let place = Answer::ALL.iter().position(|one| *one == answer).expect("it can be replaced");
        b'A' + u8::try_from(place).expect("few answers")
    };
    inputs.map(|(name, answer, content)| (name, [&[selected(answer)], content.as_slice()].concat())).into()
}
