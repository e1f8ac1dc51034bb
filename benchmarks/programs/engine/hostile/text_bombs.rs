//! CSV files that are too long, in one way or another.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::random::Random;
use super::seed::{COMPRESSIONS, compress};

const GIB: u64 = 1 << 30;
const CHUNK: usize = 1 << 20;

/// Writes one file to the path it is given.
pub(crate) type Make = Box<dyn Fn(&Path) -> io::Result<()> + Send + Sync>;

pub(crate) fn files() -> Vec<(String, Make)> {
    let mut files: Vec<(String, Make)> = vec![];
    let mut push = |name: &str, make: Make| files.push((name.to_owned(), make));
    let filled = |head: &'static [u8], chunk: &'static [u8], length: u64, tail: &'static [u8]| -> Make {
        Box::new(move |path| fill(path, head, chunk, length, tail))
    };
    push("quoted-gibibyte.csv", filled(b"age,city\n1,\"", b"x", GIB, b"\"\n2,Oulu\n"));
    push("quoted-gibibyte-never-closed.csv", filled(b"age,city\n1,\"", b"x", GIB, b""));
    push("quoted-gibibyte-of-lines.csv", filled(b"age,city\n1,\"", b"1,Oulu\n", GIB, b"\"\n2,Oulu\n"));
    push("quoted-gibibyte-of-quotes.csv", filled(b"age,city\n1,\"", b"\"\"", GIB, b"\"\n2,Oulu\n"));
    push("line-of-a-gibibyte.csv", filled(b"age,city\n1,", b"x", GIB, b""));
    push("line-of-a-gibibyte.tsv", filled(b"age\tcity\n1\t", b"x", GIB, b"\n"));
    push("line-of-a-gibibyte-of-fields.csv", filled(b"age,city\n1", b",x", GIB, b"\n"));
    push("header-of-a-gibibyte.csv", filled(b"", b"x", GIB, b""));
    push("header-of-64-mebibytes-of-names.csv", filled(b"age,city", b",x", GIB / 16, b"\n1,Oulu\n"));
    push("quarter-gibibyte-of-blank-lines.csv", filled(b"age,city\n", b"\n", GIB / 4, b""));
    push("32-mebibytes-of-blank-lines.age.csv", filled(b"age\n", b"\n", GIB / 32, b""));
    push("quarter-gibibyte-of-zeros.csv", filled(b"age,city\n", b"\0", GIB / 4, b""));
    for (extension, compression) in COMPRESSIONS {
        for (name, head, body) in [
            ("zeros", "age,city\n", b"\0"),
            ("quoted", "age,city\n1,\"", b"x"),
            ("blank-lines.age", "age\n", b"\n"),
            ("header", "", b"x"),
        ] {
            // Four gibibytes, in members that are all the same.
            let make = move |path: &Path| {
                let member = compress(compression, body.repeat(32 << 20));
                let mut file = BufWriter::new(File::create(path)?);
                file.write_all(&compress(compression, head.as_bytes().to_vec()))?;
                (0..128).try_for_each(|_| file.write_all(&member))?;
                file.flush()
            };
            push(&format!("bomb-of-{name}.csv.{extension}"), Box::new(make));
        }
        let make = move |path: &Path| {
            let twice = compress(compression, compress(compression, b"age,city\n1,Oulu\n".repeat(1000)));
            std::fs::write(path, twice)
        };
        push(&format!("compressed-twice.csv.{extension}"), Box::new(make));
        let make = move |path: &Path| {
            let empty = compress(compression, vec![]);
            std::fs::write(path, [compress(compression, b"age,city\n".to_vec()), empty.repeat(100_000)].concat())
        };
        push(&format!("100000-empty-members.csv.{extension}"), Box::new(make));
    }
    for seed in 0..8 {
        let make = move |path: &Path| {
            let mut random = Random::new(seed);
            let noise: Vec<u8> = (0..200_000).map(|_| random.next().to_le_bytes()[3]).collect();
            let head: &[u8] = if seed < 6 { b"age,city\n" } else { b"" };
            std::fs::write(path, [head, &noise].concat())
        };
        push(&format!("noise-{seed}.csv"), Box::new(make));
    }
    for (name, bytes) in [
        ("byte-order-mark.csv", &b"\xEF\xBB\xBF"[..]),
        ("byte-order-mark-utf16.csv", b"\xFF\xFEa\0g\0e\0"),
        ("one-quote.csv", b"\""),
        ("header-in-quotes-never-closed.csv", b"\"age,city\n1,Oulu\n"),
        ("header-only.csv", b"age,city"),
        ("header-twice.csv", b"age,age,city\n1,2,Oulu\n"),
        ("header-not-text.csv", b"age,city,\xFF\xFE\n1,Oulu,\n"),
        ("zero-bytes-in-header.csv", b"age\0,city\n1,Oulu\n"),
        ("returns-only.csv", b"age,city\r1,Oulu\r\r\r\r"),
    ] {
        push(name, Box::new(move |path| std::fs::write(path, bytes)));
    }
    files
}

/// `head`, then `chunk` over and over for `length` bytes, then `tail`.
fn fill(path: &Path, head: &[u8], chunk: &[u8], length: u64, tail: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(head)?;
    let block = chunk.repeat(CHUNK / chunk.len());
    let mut written = 0;
    while written < length {
        file.write_all(&block)?;
        written += block.len() as u64;
    }
    file.write_all(tail)
}
