//! Builds record batches of binary columns from fields.

use std::collections::VecDeque;

use datafusion::arrow::array::{ArrayRef, BinaryBuilder, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use std::sync::Arc;

use super::cut::{Cutter, Event};
use super::header::{Header, HeaderProblem};
use super::{ALWAYS_HELD_BYTES, ROW_BYTES, TextLayout};
use crate::codes::encode::TOO_LONG;

/// A batch is complete at this many bytes, whatever its number of rows.
const BATCH_BYTES: usize = 16 << 20;

/// Decodes the bytes of one file into batches of the columns in `schema`, which are binary and
/// nullable.
#[derive(Debug)]
pub(super) struct Decoder {
    cutter: Cutter,
    schema: SchemaRef,
    stage: Stage,
    batch: Batch,
    batch_rows: usize,
    ready: VecDeque<RecordBatch>,
}

#[derive(Debug)]
enum Stage {
    Header(Header),
    /// For every field of a line up to the last one that is read, the index of its column in the
    /// schema.
    Rows {
        places: Box<[Option<usize>]>,
        header_fields: usize,
    },
}

/// The batch being filled.
#[derive(Debug)]
struct Batch {
    columns: Vec<BinaryBuilder>,
    rows: usize,
    bytes: usize,
    /// Number of fields of the current line so far.
    fields: usize,
    /// Bytes of the current line that are held.
    row_bytes: usize,
}

impl Decoder {
    pub(super) fn new(schema: SchemaRef, layout: TextLayout, batch_rows: usize) -> Self {
        let columns = schema.fields().iter().map(|_| BinaryBuilder::new()).collect();
        Self {
            cutter: Cutter::new(layout),
            schema,
            stage: Stage::Header(Header::default()),
            batch: Batch { columns, rows: 0, bytes: 0, fields: 0, row_bytes: 0 },
            batch_rows: batch_rows.max(1),
            ready: VecDeque::new(),
        }
    }

    /// Decodes a chunk of the file.
    pub(super) fn feed(&mut self, mut chunk: &[u8]) -> Result<(), HeaderProblem> {
        loop {
            match self.cutter.next(&mut chunk) {
                Event::NeedInput => return Ok(()),
                event => take(&mut self.stage, &mut self.batch, &self.schema, &event)?,
            }
            if let Stage::Rows { places, .. } = &self.stage
                && self.batch.fields > 0
                && self.batch.fields >= places.len()
            {
                self.cutter.skip_record();
            }
            if self.batch.rows >= self.batch_rows || self.batch.bytes >= BATCH_BYTES {
                self.flush();
            }
        }
    }

    /// Marks the end of the file.
    pub(super) fn finish(&mut self) -> Result<(), HeaderProblem> {
        self.cutter.end();
        self.feed(&[])?;
        if matches!(self.stage, Stage::Header(_)) {
            return Err(HeaderProblem::NoHeader);
        }
        if self.batch.rows > 0 {
            self.flush();
        }
        Ok(())
    }

    /// Returns the next complete batch.
    pub(super) fn pop(&mut self) -> Option<RecordBatch> {
        self.ready.pop_front()
    }

    /// Bytes of the longest line so far that was too long to hold.
    pub(super) fn overlong_bytes(&self) -> u64 {
        self.cutter.overlong_bytes()
    }

    fn flush(&mut self) {
        let arrays = self.batch.columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.batch.rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .expect("every row has put one value into every column");
        self.ready.push_back(batch);
        (self.batch.rows, self.batch.bytes) = (0, 0);
    }
}

fn take(stage: &mut Stage, batch: &mut Batch, schema: &SchemaRef, event: &Event<'_>) -> Result<(), HeaderProblem> {
    match stage {
        Stage::Header(header) => {
            if header.take(event)? {
                let columns: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
                let mut places = header.places(&columns)?;
                let header_fields = places.len();
                places.truncate(places.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
                *stage = Stage::Rows { places: places.into(), header_fields };
            }
        }
        Stage::Rows { places, header_fields } => match event {
            Event::Field { value, last } => batch.field(places, *value, *last),
            Event::BlankLine if *header_fields == 1 => batch.field(places, Some(b""), true),
            Event::BlankLine | Event::NeedInput => {}
        },
    }
    Ok(())
}

impl Batch {
    fn field(&mut self, places: &[Option<usize>], value: Option<&[u8]>, last: bool) {
        if let Some(&Some(place)) = places.get(self.fields) {
            let fits = |value: &&[u8]| value.len() <= ALWAYS_HELD_BYTES || self.row_bytes + value.len() <= ROW_BYTES;
            let value = value.filter(fits).unwrap_or(TOO_LONG);
            self.columns[place].append_value(value);
            self.row_bytes += value.len();
        }
        self.fields += 1;
        if last {
            for place in places.get(self.fields..).unwrap_or_default().iter().flatten() {
                self.columns[*place].append_null();
            }
            self.rows += 1;
            self.bytes += self.row_bytes;
            (self.fields, self.row_bytes) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::AsArray;
    use datafusion::arrow::datatypes::{DataType, Field, Schema};

    use super::*;

    const CSV: TextLayout = TextLayout {
        delimiter: b',',
        quote: b'"',
        comment: None,
        multiline: false,
        encoding: scumble_schema::Encoding::Utf8,
        lines_before_header: 0,
        has_header: true,
    };

    type Row = Vec<Option<Vec<u8>>>;

    fn decode(columns: &[&str], bytes: &[u8], chunk: usize, batch_rows: usize) -> Result<Vec<Row>, HeaderProblem> {
        let fields: Vec<_> = columns.iter().map(|name| Field::new(*name, DataType::Binary, true)).collect();
        let mut decoder = Decoder::new(Arc::new(Schema::new(fields)), CSV, batch_rows);
        bytes.chunks(chunk).try_for_each(|chunk| decoder.feed(chunk))?;
        decoder.finish()?;
        let mut rows = vec![];
        while let Some(batch) = decoder.pop() {
            for row in 0..batch.num_rows() {
                let value =
                    |column: &ArrayRef| column.is_valid(row).then(|| column.as_binary::<i32>().value(row).to_vec());
                rows.push(batch.columns().iter().map(value).collect());
            }
        }
        Ok(rows)
    }

    fn row(values: &[Option<&str>]) -> Row {
        values.iter().map(|value| value.map(|text| text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn columns_are_found_by_name_and_ragged_lines_are_rows() {
        let bytes = b"x,b,a\n1,2,3\n4\n5,6\n7,8,9,10,11\n\n,,\n";
        let rows = [
            row(&[Some("3"), Some("2")]),
            row(&[None, None]),
            row(&[None, Some("6")]),
            row(&[Some("9"), Some("8")]),
            row(&[Some(""), Some("")]),
        ];
        for chunk in [1, 2, 3, 7, 4096] {
            for batch_rows in [1, 2, 8192] {
                assert_eq!(decode(&["a", "b"], bytes, chunk, batch_rows).unwrap(), rows);
            }
        }
    }

    #[test]
    fn a_blank_line_is_a_row_only_with_a_single_column() {
        let one = [row(&[Some("1")]), row(&[Some("")]), row(&[Some("")]), row(&[Some("2")])];
        assert_eq!(decode(&["a"], b"\n\na\n1\n\n\n2\n", 4096, 10).unwrap(), one);
        assert_eq!(decode(&["a"], b"a\r\n1\r\n\r\n\"\"\r\n2", 1, 10).unwrap(), one);
        assert_eq!(decode(&["a"], b"a,b\n1,\n\n\n2,\n", 4096, 10).unwrap(), [row(&[Some("1")]), row(&[Some("2")])]);
    }

    #[test]
    fn rows_are_counted_without_columns() {
        assert_eq!(decode(&[], b"a,b\n1,2\n3,4\n", 4096, 10).unwrap(), [row(&[]), row(&[])]);
    }

    #[test]
    fn a_header_must_have_each_column_once() {
        let problem = |bytes: &[u8]| match decode(&["a", "b"], bytes, 3, 10) {
            Err(HeaderProblem::Column { column, problem }) => format!("{column}: {problem}"),
            Err(other) => format!("{other:?}"),
            Ok(_) => "fine".into(),
        };
        assert_eq!(problem(b"a,c\n"), "b: is not in the data");
        assert_eq!(problem(b"a,b,a\n"), "a: is in the data more than once");
        assert_eq!(problem(b"c,c,b,a\n"), "fine");
        assert_eq!(problem(b"A,b\n"), "a: is not in the data");
        assert_eq!(problem(b"\n\r\n"), "NoHeader");
        assert_eq!(problem(b""), "NoHeader");
    }

    #[test]
    fn a_row_beyond_the_byte_limit_is_still_one_row() {
        let wide = 1 << 20;
        let names: Vec<String> = (0..20).map(|column| format!("c{column}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let line = vec!["x".repeat(wide); 20].join(",");
        let rows = decode(&names, format!("{}\n{line}\n{line}\n", names.join(",")).as_bytes(), 4096, 8192).unwrap();
        assert_eq!(rows.len(), 2);
        for row in rows {
            let held = row.iter().flatten().filter(|value| value.len() == wide).count();
            assert_eq!(held, ROW_BYTES / wide);
            assert!(row[held..].iter().all(|value| value.as_deref() == Some(TOO_LONG)));
        }
    }

    #[test]
    fn the_unit_of_a_row_does_not_depend_on_its_other_fields() {
        let names: Vec<String> = (0..20).map(|column| format!("c{column}")).chain(["id".into()]).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let line = [vec!["x".repeat(1 << 20); 20].join(","), "7".repeat(ALWAYS_HELD_BYTES)].join(",");
        let rows = decode(&names, format!("{}\n{line}\n", names.join(",")).as_bytes(), 4096, 8192).unwrap();
        assert_eq!(rows[0][19].as_deref(), Some(TOO_LONG));
        assert_eq!(rows[0][20].as_ref().unwrap().len(), ALWAYS_HELD_BYTES);
    }
}
