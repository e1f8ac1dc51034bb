//! Benchmark tables: files that hold codes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use scumble_schema::Domain;

use crate::error::EvaluateError;
use crate::table::Columns;

/// A table from a file of codes, with the names of its columns.
#[derive(Debug, Clone)]
pub struct CodedFile {
    /// Names of the columns, in their order.
    pub names: Vec<String>,
    /// The codes.
    pub columns: Columns,
}

impl CodedFile {
    /// Reads the table in a benchmark's folder: `data.csv` or `data.csv.gz`, and `domain.json`.
    ///
    /// # Errors
    /// The errors of [`CodedFile::read`].
    pub fn in_folder(folder: &Path) -> Result<Self, EvaluateError> {
        let plain = folder.join("data.csv");
        let rows = if plain.exists() { plain } else { folder.join("data.csv.gz") };
        Self::read(&folder.join("domain.json"), &rows)
    }

    /// Reads the codes in `rows`, a CSV file with a header, compressed if its name ends in `gz`.
    /// `sizes` is a JSON object with the number of codes of each column.
    ///
    /// # Errors
    /// If a file cannot be read, a column has no size, or a value is not a code of its column.
    pub fn read(sizes: &Path, rows: &Path) -> Result<Self, EvaluateError> {
        let open = |path: &Path| File::open(path).map_err(|error| unreadable(path, error));
        let size_of: BTreeMap<String, u32> = serde_json::from_reader(io::BufReader::new(open(sizes)?))
            .map_err(|error| unreadable(sizes, error.into()))?;
        let file = open(rows)?;
        let is_compressed = rows.extension().is_some_and(|extension| extension == "gz");
        let text: Box<dyn Read> = if is_compressed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };

        let mut reader = csv::Reader::from_reader(text);
        let header = reader.headers().map_err(|error| unreadable(rows, error.into()))?;
        let names: Vec<String> = header.iter().map(Into::into).collect();
        let size = |name: &String| {
            let size = size_of.get(name).copied();
            size.ok_or_else(|| EvaluateError::columns(format!("column `{name}` has no size")))
        };
        let domain = Domain::new(names.iter().map(size).collect::<Result<_, _>>()?)?;

        let mut codes = vec![Vec::new(); names.len()];
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| unreadable(rows, error.into()))? {
            for ((field, column), name) in record.iter().zip(&mut codes).zip(&names) {
                let not_a_code = |_| EvaluateError::columns(format!("column `{name}` has a value that is not a code"));
                column.push(field.parse().map_err(not_a_code)?);
            }
        }
        Ok(Self { names, columns: Columns::new(domain, codes)? })
    }
}

fn unreadable(path: &Path, source: io::Error) -> EvaluateError {
    EvaluateError::Io { path: path.into(), source }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const ROWS: &[u8] = b"b,a\n0,2\n1,0\n";

    fn folder(rows: &[u8]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("domain.json"), r#"{"a": 3, "b": 2}"#).unwrap();
        fs::write(folder.path().join("data.csv"), rows).unwrap();
        folder
    }

    #[test]
    fn columns_keep_the_order_of_the_file_and_sizes_match_by_name() {
        let table = CodedFile::in_folder(folder(ROWS).path()).unwrap();
        assert_eq!(
            (table.names.as_slice(), table.columns.domain().sizes()),
            (&["b".into(), "a".into()][..], &[2, 3][..])
        );
        assert_eq!(table.columns.rows(), 2);
    }

    #[test]
    fn compressed_files_are_read() {
        let folder = folder(ROWS);
        fs::remove_file(folder.path().join("data.csv")).unwrap();
        let mut packed = GzEncoder::new(File::create(folder.path().join("data.csv.gz")).unwrap(), Compression::fast());
        packed.write_all(ROWS).unwrap();
        packed.finish().unwrap();
        assert_eq!(CodedFile::in_folder(folder.path()).unwrap().columns.rows(), 2);
    }

    #[test]
    fn values_that_are_not_codes_are_refused() {
        for rows in [&b"b,a\nx,0\n"[..], b"b,a\n0,-1\n", b"b,a\n2,0\n", b"b,c\n0,0\n"] {
            assert!(matches!(CodedFile::in_folder(folder(rows).path()), Err(EvaluateError::Columns { .. })));
        }
        assert!(matches!(CodedFile::in_folder(folder(b"b,a\n0\n").path()), Err(EvaluateError::Io { .. })));
        assert!(matches!(CodedFile::in_folder(Path::new("nowhere")), Err(EvaluateError::Io { .. })));
    }
}
