//! The one table in a ZIP archive.

use std::fs::File;
use std::io::{self, Read, Write};

use super::directory::Archive;
use super::{OUTSIZED, private_file, unpacking_failed};
use crate::error::{Damage, EngineError};
use crate::run::spill::SpillDirectory;
use crate::source::guard::{MAX_FREE_LINE, check_unpacked};
use crate::source::input::{DataFile, Format, split_compression};

/// Bytes read at a time.
const CHUNK_BYTES: usize = 256 << 10;

/// Extracts the only table of an archive to a private file.
pub(super) fn extract(file: &DataFile, spill: &SpillDirectory, number: usize) -> Result<DataFile, EngineError> {
    let not_zip = |error: io::Error| unpacking_failed(&file.shown, &error, Damage::NotZip);
    let archive = Archive::open(&file.path).map_err(not_zip)?;
    let (name, format) = only_table(file, &archive)?;
    let (_, compression) = split_compression(name.as_ref());
    let packed = std::fs::metadata(&file.path).map_err(|error| EngineError::unreadable(&file.shown, &error))?.len();
    let entry = archive.find(&name).ok_or(EngineError::Bug { what: "a file of an archive is gone" })?;
    let entry = archive.unpack(entry).map_err(not_zip)?;
    let (path, copy) = private_file(spill, &format!("unpacked-{number}"))?;
    copy_within(entry, copy, packed).map_err(|error| match error {
        CopyError::Reading(error) => unpacking_failed(&file.shown, &error, Damage::Damaged),
        CopyError::Writing(error) => EngineError::refused(&path, &error),
    })?;
    Ok(DataFile { path, format, compression, is_copy: true, inner: None, ..file.clone() })
}

/// Returns the name of the only table in an archive, and its format.
fn only_table(file: &DataFile, archive: &Archive) -> Result<(String, Format), EngineError> {
    let names = archive.entries().iter().map(|entry| &entry.name);
    let is_hidden = |name: &str| name.split('/').any(|part| part.starts_with(['.', '_']));
    let files: Vec<String> = names.filter(|name| !name.ends_with('/') && !is_hidden(name)).cloned().collect();
    let plain = |format: &Format| *format != Format::Zip;
    let known = |name: &String| Format::of_stem(split_compression(name.as_ref()).0).filter(plain);
    // With a format on the command line, a single file is the table, whatever its name.
    if let [only] = files.as_slice()
        && let Some(format) = file.inner.or_else(|| Format::of_named(split_compression(only.as_ref()).0).filter(plain))
    {
        return Ok((only.clone(), format));
    }
    let mut tables = files.iter().filter_map(|name| Some((name.clone(), file.inner.or(known(name))?, known(name)?)));
    match (tables.next(), tables.next()) {
        (Some((name, format, _)), None) => Ok((name, format)),
        (None, _) => Err(EngineError::config(
            format!("`{}` holds no data file", file.shown),
            "an archive must hold one table, in a format whose extension is csv, tsv, parquet, arrow or xlsx; if its table has \
             another name, say what it is with `--format`",
        )),
        (Some((first, ..)), Some((second, ..))) => Err(EngineError::config(
            format!("`{}` holds several tables, such as `{first}` and `{second}`", file.shown),
            "unpack it, and name the files",
        )),
    }
}

/// Which side of a copy failed.
enum CopyError {
    Reading(io::Error),
    Writing(io::Error),
}

/// Copies unpacked bytes, up to the limit for an archive of its size.
fn copy_within(mut entry: impl Read, mut copy: File, packed: u64) -> Result<(), CopyError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    // One line must not make an archive count as too large, as with other compressed text.
    let (mut unpacked, mut line, mut longest) = (0_u64, 0_u64, 0_u64);
    loop {
        let length = match entry.read(&mut chunk) {
            Ok(0) => return copy.flush().map_err(CopyError::Writing),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(CopyError::Reading(error)),
        };
        let bytes = &chunk[..length];
        for (index, part) in bytes.split(|byte| matches!(byte, b'\n' | b'\r')).enumerate() {
            line = if index == 0 { line + part.len() as u64 } else { part.len() as u64 };
            longest = longest.max(line);
        }
        unpacked += length as u64;
        let counted = unpacked - longest.min(MAX_FREE_LINE);
        check_unpacked(packed, counted).map_err(|_| CopyError::Reading(OUTSIZED.into()))?;
        copy.write_all(bytes).map_err(CopyError::Writing)?;
    }
}
