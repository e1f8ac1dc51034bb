//! The worst files of the corpus that the program `engine` of `benchmarks/` reads, and valid ones
//! that must not be refused.
//!
//! A failing guard may end the whole test program: a failed allocation is not a panic.

#[path = "../../../../benchmarks/programs/engine/hostile/arrow_bombs.rs"]
#[expect(dead_code, reason = "the example has them all")]
mod arrow_bombs;
#[path = "../../../../benchmarks/programs/engine/hostile/damage.rs"]
#[expect(dead_code, reason = "the example spoils files in more ways")]
mod damage;
#[path = "../../../../benchmarks/programs/engine/hostile/handmade.rs"]
mod handmade;
#[path = "../../../../benchmarks/programs/engine/hostile/parquet_bombs.rs"]
#[expect(dead_code, reason = "the example has them all")]
mod parquet_bombs;
#[path = "../../../../benchmarks/programs/engine/hostile/seed.rs"]
#[expect(dead_code, reason = "the example also has texts")]
mod seed;

use std::fs;
use std::time::{Duration, Instant};

use crate::common::read;
use crate::random::{self, Random};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{Damage, EngineError};
use scumble_schema::Clique;
use tempfile::TempDir;

/// Far above the time of a refusal, and far below the time of decoding one of these files.
const SOON: Duration = Duration::from_secs(5);

/// Reads `bytes` under this name; returns the number of rows, or the error.
fn rows_of(name: &str, bytes: &[u8]) -> Result<u64, EngineError> {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join(name);
    fs::write(&path, bytes).unwrap();
    let start = Instant::now();
    let table = read(path, &seed::schema(name));
    assert!(start.elapsed() < SOON, "{name} took {:?}", start.elapsed());
    Ok(table?.count_tables(&[Clique::empty()]).unwrap()[0][0])
}

fn check(files: &[(String, Vec<u8>)], extension: &str, expected: &[(&str, Damage)]) {
    for (name, damage) in expected {
        let (_, bytes) = files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}"));
        match rows_of(&format!("{name}.{extension}"), bytes) {
            Err(EngineError::Engine { problem, .. }) => assert_eq!(problem, *damage, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn parquet_files_that_claim_too_much_are_refused() {
    let groups = [
        parquet_bombs::footers(),
        parquet_bombs::schemas(),
        parquet_bombs::pages(),
        parquet_bombs::rows(),
        parquet_bombs::deltas(),
        parquet_bombs::places(),
        parquet_bombs::lengths(),
    ];
    check(
        &groups.concat(),
        "parquet",
        &[
            ("tail-ten-bytes", Damage::NotParquet),
            ("row-groups-2-billion", Damage::NotParquet),
            ("unknown-field-of-lists", Damage::NotParquet),
            ("schema-children-max", Damage::NotParquet),
            ("schema-100000-deep.age", Damage::Outsized),
            ("page-unpacks-to-max-codec6.age", Damage::Outsized),
            ("dictionary-values.city-max", Damage::Damaged),
            ("constant-2-billion.age", Damage::Outsized),
            ("null-quadrillion.age", Damage::Damaged),
            ("mebibyte-of-blanks-130-million-times.city", Damage::Outsized),
            ("dictionary-column-that-falls-back.city", Damage::Outsized),
            ("delta-length-claims-2-40.city", Damage::Damaged),
            ("delta-suffix-claims-2-40.city", Damage::Damaged),
            ("delta-bytes-shares-a-mebibyte-100000-times.city", Damage::Outsized),
            ("chunk-shared-by-30000-groups.age", Damage::Damaged),
            ("chunk-before-the-file.age", Damage::Damaged),
            ("fixed-length-max.city", Damage::Damaged),
        ],
    );
}

#[test]
fn arrow_files_that_claim_too_much_are_refused() {
    let batch = seed::rows(&mut Random::new(7));
    let groups = [
        arrow_bombs::headers(&batch),
        arrow_bombs::batches(&batch),
        arrow_bombs::prefixes(&batch),
        arrow_bombs::shapes(),
    ];
    check(
        &groups.concat(),
        "arrow",
        &[
            ("ten-bytes", Damage::NotArrow),
            ("second-header-max", Damage::NotArrow),
            ("file-body-half-of-all", Damage::NotArrow),
            ("stream-body-half-of-all", Damage::NotArrow),
            ("stream-buffer-length-max", Damage::NotArrow),
            ("file-zstd-prefix-half-of-all", Damage::Outsized),
            ("stream-lz4-prefix-tebibyte", Damage::Outsized),
            ("nulls-quadrillion.age", Damage::Outsized),
        ],
    );
}

#[test]
fn a_long_value_in_every_row_is_encoded_once() {
    for (name, bytes) in arrow_bombs::shapes().iter().filter(|(name, _)| name.starts_with("million-")) {
        assert_eq!(rows_of(&format!("{name}.arrow"), bytes), Ok(1 << 20), "{name}");
    }
}

#[test]
fn valid_files_of_every_codec_and_encoding_pass_the_guard() {
    let mut random = Random::new(11);
    for (name, bytes) in seed::parquet(&mut random) {
        let read = rows_of(&format!("{name}.parquet"), &bytes);
        match name {
            "brotli" => assert!(matches!(read, Err(EngineError::Engine { problem: Damage::Brotli, .. })), "{read:?}"),
            _ => assert_eq!(read, Ok(seed::ROWS as u64), "{name}"),
        }
    }
    for (name, bytes) in seed::arrow(&mut random) {
        assert_eq!(rows_of(&format!("{name}.arrow"), &bytes), Ok(3 * seed::ROWS as u64), "{name}");
    }
}

#[test]
fn only_regular_files_are_read() {
    let directory = TempDir::new().unwrap();
    for name in ["zeros.csv", "zeros.parquet", "zeros.arrow"] {
        let path = directory.path().join(name);
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let error = read(&path, &seed::schema(name)).unwrap_err();
        assert_eq!(error.to_string(), format!("`{}` is not a regular file", path.display()));
    }
}
