//! Answers of a PostgreSQL server.

use std::sync::LazyLock;

use scumble_engine::Input;
use scumble_schema::Schema;

use crate::message;
use crate::postgres_server::{Answer, Server};
use crate::rows::counted;

/// Part of the address that no message shows.
const PASSWORD: &str = "hunter2CANARY";

static SERVER: LazyLock<Server> = LazyLock::new(Server::start);
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let schema = "
fields:
  - {name: city, type: string, constraints: {enum: [Bergen, Oulu]}, dp: {open: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 10}}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 1000}, dp: {open: true, bins: {count: 7}}}
  - {name: married, type: boolean}
  - {name: born, type: date, constraints: {minimum: '1900-01-01', maximum: '2020-12-31'}, dp: {bins: {count: 12}}}
  - {name: seen, type: datetime, constraints: {minimum: '2020-01-01T00:00:00', maximum: '2020-12-31T00:00:00'}, dp: {bins: {count: 24}}}
";
    Schema::parse(schema).expect("the schema is sound")
});

/// Whatever a server answers, its table is refused in one sentence, or every row that it sent is
/// counted.
///
/// The first byte selects which of the answers of a sound server the others replace.
pub fn postgres(bytes: &[u8]) {
    let Some((answer, content)) = bytes.split_first() else { return };
    let answer = Answer::ALL[usize::from(answer.wrapping_sub(b'A')) % Answer::ALL.len()];
    SERVER.replace(answer, content);
    let directory = SERVER.directory().display();
    let input =
        Input::new(format!("postgresql://ann:{PASSWORD}@/survey?host={directory}&table=people&connect_timeout=5"));
    match counted(&input, &SCHEMA, 1) {
        Ok(counts) if answer == Answer::Rows => {
            let rows = rows_of(content).expect("a copy that is accepted is whole");
            assert_eq!(counts[0][0], rows, "other rows are counted than were sent");
        }
        Ok(_) => {}
        Err(error) => {
            assert!(!format!("{error} {error:?} {:?}", error.hint()).contains(PASSWORD), "the password is shown");
            message::check_error(error);
        }
    }
}

/// Counts the rows of a binary copy; `None` if it is not whole.
fn rows_of(copy: &[u8]) -> Option<u64> {
    let mut rest = copy.get(15..)?;
    let mut take = |length: usize| {
        let (taken, left) = rest.split_at_checked(length)?;
        rest = left;
        Some(taken)
    };
    let extension = u32::from_be_bytes(take(4)?.try_into().ok()?);
    take(usize::try_from(extension).ok()?)?;
    let mut rows = 0;
    loop {
        let fields = i16::from_be_bytes(take(2)?.try_into().ok()?);
        if fields == -1 {
            return rest.is_empty().then_some(rows);
        }
        for _ in 0..fields {
            let length = i32::from_be_bytes(take(4)?.try_into().ok()?);
            take(usize::try_from(length).unwrap_or(0))?;
        }
        rows += 1;
    }
}
