//! Writes one sheet of a workbook as CSV.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};

use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use quick_xml::events::Event;
use scumble_schema::{Dialect, Encoding};

use super::cell_format::{CellFormat, Epoch};
use super::directory::Archive;
use super::sheet::{Cells, SharedTexts, write_rows};
use super::xml::{attribute, failed, reader};
use super::{Bounded, private_file, unpacking_failed};
use crate::error::{Damage, EngineError};
use crate::run::spill::SpillDirectory;
use crate::source::input::{DataFile, Format};

/// Dialect of the sheet's CSV: written by us, with every quote closed, so a cell may contain line
/// ends.
fn dialect_of_copy() -> Dialect {
    Dialect { delimiter: "comma".parse().ok(), multiline: true, encoding: Encoding::Utf8, ..Dialect::default() }
}

/// Writes the sheet that `file` names, or the first one, as CSV into a private file.
pub(super) fn as_csv(
    file: &DataFile,
    dialect: &Dialect,
    spill: &SpillDirectory,
    number: usize,
) -> Result<DataFile, EngineError> {
    let packed = std::fs::metadata(&file.path).map_err(|error| EngineError::unreadable(&file.shown, &error))?.len();
    let archive =
        Archive::open(&file.path).map_err(|error| unpacking_failed(&file.shown, &error, Damage::NotWorkbook))?;
    let parts = Parts { archive, packed, shown: &file.shown };
    let book = Workbook::read(&parts).map_err(|error| parts.failed(&error))?;
    let sheet = book.sheet(file)?.to_owned();
    let texts = match &book.shared_texts {
        Some(part) => parts.read(part, SharedTexts::read).map_err(|error| parts.failed(&error))?,
        None => SharedTexts::default(),
    };
    let formats = match &book.styles {
        Some(part) => parts.read(part, read_formats).map_err(|error| parts.failed(&error))?,
        None => vec![],
    };
    let (path, copy) = private_file(spill, &format!("sheet-{number}.csv"))?;
    let mut copy = Copy { sink: BufWriter::new(copy), is_refused: false };
    let cells = Cells { texts: &texts, formats: &formats, epoch: book.epoch };
    let written = parts.read(&sheet, |bytes| write_rows(bytes, &cells, dialect, &mut copy));
    let written = written.and_then(|()| copy.flush());
    written
        .map_err(|error| if copy.is_refused { EngineError::refused(&path, &error) } else { parts.failed(&error) })?;
    Ok(DataFile {
        path,
        format: Format::Csv,
        compression: FileCompressionType::UNCOMPRESSED,
        dialect: Some(dialect_of_copy()),
        is_copy: true,
        ..file.clone()
    })
}

/// The private file, and whether writing it failed.
struct Copy {
    sink: BufWriter<File>,
    is_refused: bool,
}

impl Write for Copy {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes).inspect_err(|_| self.is_refused = true)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush().inspect_err(|_| self.is_refused = true)
    }
}

/// The parts of a workbook, which are files of an archive.
struct Parts<'f> {
    archive: Archive,
    packed: u64,
    shown: &'f str,
}

impl Parts<'_> {
    /// Calls `read` with the bytes of a part.
    fn read<T>(&self, part: &str, read: impl FnOnce(&mut dyn BufRead) -> io::Result<T>) -> io::Result<T> {
        let entry = self.archive.find(part).ok_or(io::ErrorKind::InvalidData)?;
        let entry = self.archive.unpack(entry)?;
        read(&mut BufReader::with_capacity(64 << 10, Bounded::new(entry, self.packed)))
    }

    fn failed(&self, error: &io::Error) -> EngineError {
        unpacking_failed(self.shown, error, Damage::NotWorkbook)
    }
}

/// The structure of a workbook.
struct Workbook {
    /// Names and parts of the sheets with cells, in order.
    sheets: Vec<(String, String)>,
    shared_texts: Option<String>,
    styles: Option<String>,
    epoch: Epoch,
}

/// A reference from one part to another: its kind, and its path.
struct Relation {
    kind: String,
    part: String,
}

impl Workbook {
    fn read(parts: &Parts<'_>) -> io::Result<Self> {
        let package = parts.read("_rels/.rels", |bytes| read_relations(bytes, ""))?;
        let main = package.into_values().find(|relation| relation.kind == "officeDocument");
        let main = main.ok_or(io::ErrorKind::InvalidData)?.part;
        let (folder, name) = main.rsplit_once('/').unwrap_or(("", &main));
        let relations = format!("{folder}/_rels/{name}.rels");
        let relations = parts.read(relations.trim_start_matches('/'), |bytes| read_relations(bytes, folder))?;
        let (epoch, listed) = parts.read(&main, read_sheets)?;
        let part = |kind: &str| relations.values().find(|found| found.kind == kind).map(|found| found.part.clone());
        let sheets = listed.into_iter().filter_map(|(name, id)| {
            let relation = relations.get(&id).filter(|relation| relation.kind == "worksheet")?;
            Some((name, relation.part.clone()))
        });
        Ok(Self { sheets: sheets.collect(), shared_texts: part("sharedStrings"), styles: part("styles"), epoch })
    }

    /// Returns the part of the sheet that `file` names, or of the first one.
    fn sheet(&self, file: &DataFile) -> Result<&str, EngineError> {
        let mut sheets = self.sheets.iter();
        let found = match &file.sheet {
            None => sheets.next(),
            Some(sheet) => sheets.find(|(name, _)| name == sheet),
        };
        if let Some((_, part)) = found {
            return Ok(part);
        }
        let names: Vec<String> = self.sheets.iter().map(|(name, _)| format!("`{name}`")).collect();
        let sheet = file.sheet.as_ref().map_or_else(String::new, |name| format!(" `{name}`"));
        Err(EngineError::config(
            format!("`{}` has no sheet{sheet}", file.shown),
            if names.is_empty() { "it holds no cells".into() } else { format!("it has {}", names.join(", ")) },
        ))
    }
}

/// Reads the relations of a part in `folder`, by their ids.
fn read_relations(bytes: &mut dyn BufRead, folder: &str) -> io::Result<HashMap<String, Relation>> {
    let mut relations = HashMap::new();
    each_element(bytes, |name, element| {
        if name == b"Relationship"
            && let (Some(id), Some(kind), Some(target)) =
                (attribute(element, "Id"), attribute(element, "Type"), attribute(element, "Target"))
        {
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            let part = match target.strip_prefix('/') {
                Some(absolute) => absolute.to_owned(),
                None if folder.is_empty() => target,
                None => format!("{folder}/{target}"),
            };
            relations.insert(id, Relation { kind, part });
        }
    })?;
    Ok(relations)
}

/// Reads the epoch of dates, and the names of the sheets with the ids of their relations.
fn read_sheets(bytes: &mut dyn BufRead) -> io::Result<(Epoch, Vec<(String, String)>)> {
    let (mut epoch, mut sheets) = (Epoch::default(), vec![]);
    each_element(bytes, |name, element| match name {
        b"workbookPr" if matches!(attribute(element, "date1904").as_deref(), Some("1" | "true" | "on")) => {
            epoch = Epoch::Of1904;
        }
        b"sheet" => sheets.extend(attribute(element, "name").zip(attribute(element, "id"))),
        _ => {}
    })?;
    Ok((epoch, sheets))
}

/// Reads the format of each cell style.
fn read_formats(bytes: &mut dyn BufRead) -> io::Result<Vec<CellFormat>> {
    let mut declared: HashMap<u32, CellFormat> = HashMap::new();
    let mut formats = vec![];
    let mut in_cells = false;
    each_element(bytes, |name, element| {
        let number = || attribute(element, "numFmtId").and_then(|number| number.parse().ok());
        match name {
            b"numFmt" => {
                if let (Some(number), Some(code)) = (number(), attribute(element, "formatCode")) {
                    declared.insert(number, CellFormat::of_code(&code));
                }
            }
            b"cellXfs" => in_cells = true,
            b"cellStyles" | b"dxfs" => in_cells = false,
            b"xf" if in_cells => {
                let format = number()
                    .map(|number| declared.get(&number).copied().unwrap_or_else(|| CellFormat::built_in(number)));
                formats.push(format.unwrap_or_default());
            }
            _ => {}
        }
    })?;
    Ok(formats)
}

/// Calls a function with every element of a part, and its name without prefix.
fn each_element(
    bytes: &mut dyn BufRead,
    mut show: impl FnMut(&[u8], &quick_xml::events::BytesStart<'_>),
) -> io::Result<()> {
    let mut reader = reader(bytes);
    let mut buffer = vec![];
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(failed)? {
            Event::Start(element) => show(element.local_name().as_ref(), &element),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}
