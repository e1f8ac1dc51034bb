//! The model file: versioned, hashed, and read by a parser that trusts no length.
//!
//! ```text
//! "SCUMBLE\n"  version u32   five sections, each: length u64, bytes   SHA-256 of everything before
//! ```
//! All numbers are little-endian. The sections are, in this order:
//!
//! 1. a JSON header: rows, shape of the distribution, bounds on errors if the method has any, and
//!    the columns of the tables that rows are moved towards if there are any;
//! 2. the schema, as JSON;
//! 3. the origin, as JSON: a method and a certificate, or the statement about external tables;
//! 4. the numbers of the origin, eight bytes each;
//! 5. the numbers of the distribution, `f64` each: probabilities or counts of cells, or
//!    potentials of sets of binary columns; then those of the tables that rows are moved towards.
//!
//! The number of numbers follows from the schema, the origin and the shape. Other lengths are
//! refused before anything of their size is allocated.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use scumble_schema::{AtomicFile, Clique, Schema, SchemaSpec, io_problem, limits};
use scumble_vault::Event;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::MechanismError;
use crate::learning::rules;
use crate::model::Model;
use crate::model::origin_file::{self, OriginShape};
use crate::model::shape::{self, Shape};
use crate::model::table_bound::TableBound;
use crate::model::targets;
use crate::quality::RowsChecked;

const MAGIC: &[u8; 8] = b"SCUMBLE\n";
/// Version of a file without targets, which earlier programs read too.
const VERSION: u32 = 3;
/// Version of a file with targets.
const VERSION_WITH_TARGETS: u32 = 4;
/// Version of a file with potentials of binary columns.
const VERSION_WITH_POTENTIALS: u32 = 5;
/// Version of a file with rows that were checked.
const VERSION_WITH_CHECK: u32 = 6;
const HASH_BYTES: usize = 32;
/// Maximum size of a JSON section in bytes.
const MAX_JSON_BYTES: u64 = limits::SCHEMA_FILE_BYTES;
/// Maximum size of a file in bytes: two sections of numbers at the model limit, three of JSON, and
/// the frame.
const MAX_FILE_BYTES: u64 = 2 * 8 * 50_000_000 + 3 * MAX_JSON_BYTES + 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    rows: u64,
    distribution: Shape,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bounds: Vec<TableBound>,
    /// Columns of the tables that rows are moved towards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    targets: Vec<Clique>,
    /// Rows that were compared with the real ones: the last event of the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checked: Option<RowsChecked>,
}

impl Model {
    /// Latest version of the model file. A reader of an earlier version refuses it.
    pub const FILE_VERSION: u32 = VERSION_WITH_CHECK;

    /// Returns the SHA-256 of the model file as hexadecimal digits, which identifies the model.
    pub fn fingerprint(&self) -> String {
        scumble_vault::hex(&Sha256::digest(self.to_bytes()))
    }

    /// Returns the bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            rows: self.rows,
            distribution: Shape::of(&self.distribution),
            bounds: self.bounds.clone(),
            targets: self.targets.iter().map(|target| target.clique().clone()).collect(),
            checked: self.checked.clone(),
        };
        let of_targets = self.targets.iter().flat_map(|target| target.shares().values().iter().copied());
        let sections = [
            json(&header),
            json(&self.schema.to_spec()),
            json(&OriginShape::of(&self.origin)),
            origin_file::numbers(&self.origin).flatten().collect(),
            shape::numbers(&self.distribution).chain(of_targets).flat_map(f64::to_le_bytes).collect(),
        ];
        let version = if self.checked.is_some() {
            VERSION_WITH_CHECK
        } else if header.distribution.has_potentials() {
            VERSION_WITH_POTENTIALS
        } else if self.targets.is_empty() {
            VERSION
        } else {
            VERSION_WITH_TARGETS
        };
        let mut bytes = [MAGIC.as_slice(), &version.to_le_bytes()].concat();
        for section in sections {
            bytes.extend((section.len() as u64).to_le_bytes());
            bytes.extend(section);
        }
        let hash = Sha256::digest(&bytes);
        bytes.extend(hash);
        bytes
    }

    /// Parses a model file, and verifies its certificate against its events if it has one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MechanismError> {
        let (content, hash) =
            bytes.split_last_chunk::<HASH_BYTES>().ok_or(MechanismError::damaged("it is too short"))?;
        let mut rest = content;
        if take(&mut rest, MAGIC.len() as u64)? != MAGIC {
            let hint =
                "give a model, as `fit` and `synth --model` write it; tables are for `fit`, `synth` and `schema check`";
            return Err(MechanismError::Format { problem: "it does not begin as one", hint });
        }
        let version = u32::from_le_bytes(take(&mut rest, 4)?.try_into().expect("four bytes were taken"));
        if !(VERSION..=VERSION_WITH_CHECK).contains(&version) {
            let hint = "use the version of Scumble that wrote it, or fit the model again";
            return Err(MechanismError::Format { problem: "its version is not known to this program", hint });
        }
        if Sha256::digest(content).as_slice() != hash {
            return Err(MechanismError::damaged("its checksum is wrong"));
        }
        let header: Header = parse(section(&mut rest, MAX_JSON_BYTES)?)?;
        let spec: SchemaSpec = parse(section(&mut rest, MAX_JSON_BYTES)?)?;
        let schema = Schema::new(spec).map_err(|_| MechanismError::damaged("its schema breaks a rule"))?;
        let origin: OriginShape = parse(section(&mut rest, MAX_JSON_BYTES)?)?;
        let (origin, recoding) = origin.build(&schema, section(&mut rest, MAX_FILE_BYTES)?)?;
        let bounds = header.bounds;
        if bounds.len() > TableBound::MAX_PER_MODEL || !bounds.iter().all(|bound| bound.is_sound(recoding.domain())) {
            return Err(MechanismError::damaged("a bound is about a table that the schema does not have, or is none"));
        }
        let mut numbers_left = section(&mut rest, MAX_FILE_BYTES)?;
        let number = |bytes: [u8; 8]| f64::from_le_bytes(bytes);
        let mut next = |cells| -> Result<Vec<f64>, MechanismError> {
            Ok(numbers(&mut numbers_left, cells)?.into_iter().map(number).collect())
        };
        let distribution = header.distribution.build(&recoding, &origin, &mut next)?;
        let targets = targets::read(header.targets, &distribution, next)?;
        if !rules::are_kept(&schema, &distribution)? {
            return Err(MechanismError::damaged("its distribution breaks a rule of its schema"));
        }
        if !numbers_left.is_empty() {
            return Err(MechanismError::damaged("its distribution has more numbers than its shape"));
        }
        if !rest.is_empty() {
            return Err(MechanismError::damaged("something follows its end"));
        }
        let (rows, checked) = (header.rows, header.checked);
        let figures = origin.comparisons().map(Event::length).collect::<Vec<_>>();
        let readings = checked.iter().map(|checked| checked.readings.len() as u64).collect::<Vec<_>>();
        if figures != readings {
            return Err(MechanismError::damaged("its figures of quality are not those of its certificate"));
        }
        Ok(Self { schema, recoding, rows, distribution, bounds, origin, targets, checked })
    }

    /// Reads a model file with the checks of [`Model::from_bytes`].
    pub fn read(path: &Path) -> Result<Self, MechanismError> {
        let io = |problem: String| MechanismError::File { path: path.display().to_string(), problem };
        let file = File::open(path).map_err(|error| io(io_problem(&error)))?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| io(io_problem(&error)))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(io("larger than any model".into()));
        }
        Self::from_bytes(&bytes)
    }

    /// Writes the model file atomically and durably.
    pub fn write(&self, path: &Path) -> Result<(), MechanismError> {
        AtomicFile::write_all_to(path, &self.to_bytes())
            .map_err(|error| MechanismError::File { path: path.display().to_string(), problem: io_problem(&error) })
    }
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("headers, schemas and origins have text keys and finite numbers")
}

fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, MechanismError> {
    serde_json::from_slice(bytes).map_err(|_| MechanismError::damaged("a section of it cannot be read"))
}

fn take<'a>(rest: &mut &'a [u8], length: u64) -> Result<&'a [u8], MechanismError> {
    let length = usize::try_from(length).map_err(|_| MechanismError::damaged("a section is longer than the file"))?;
    let (taken, left) =
        rest.split_at_checked(length).ok_or(MechanismError::damaged("a section is longer than the file"))?;
    *rest = left;
    Ok(taken)
}

fn section<'a>(rest: &mut &'a [u8], max_length: u64) -> Result<&'a [u8], MechanismError> {
    let length = u64::from_le_bytes(take(rest, 8)?.try_into().expect("eight bytes were taken"));
    if length > max_length {
        return Err(MechanismError::damaged("a section is longer than possible"));
    }
    take(rest, length)
}

/// Takes the next `cells` numbers of a section.
pub(crate) fn numbers(rest: &mut &[u8], cells: u64) -> Result<Vec<[u8; 8]>, MechanismError> {
    let bytes = take(rest, cells.checked_mul(8).ok_or(MechanismError::damaged("a table is too large"))?)?;
    Ok(bytes.chunks_exact(8).map(|chunk| chunk.try_into().expect("chunks of eight")).collect())
}
