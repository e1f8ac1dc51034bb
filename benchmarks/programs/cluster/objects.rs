//! Parquet files in an object store that speaks S3: s3s-fs, a server of files.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use scumble::engine::TableScan;
use scumble::{Input, ReadOptions};
use scumble_engine::exact::ExactCounts;

use super::servers::Servers;
use super::table::Table;
use crate::wire::Wire;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

/// The port of `AWS_ENDPOINT` in `cluster/figures.sh`, and the one of the server behind it.
const PORT: u16 = 52_014;
const SERVER_PORT: u16 = 52_015;

/// The address of the table in a bucket.
pub(crate) const PEOPLE: &str = "s3://lake/people/";

/// A server with a table in a bucket, which ends with it. What it sends is counted.
pub(crate) struct Bucket {
    server: Child,
    wire: Wire,
    _folder: tempfile::TempDir,
}

impl Bucket {
    pub(crate) fn of(table: &Table) -> Result<Self> {
        let Some(program) = std::env::var_os("SCUMBLE_S3_SERVER").map(PathBuf::from) else {
            return Err("SCUMBLE_S3_SERVER names no server of objects; see cluster/figures.sh".into());
        };
        let folder = tempfile::tempdir_in(super::table::cache())?;
        let lake = folder.path().join("lake").join("people");
        fs::create_dir_all(&lake)?;
        for file in fs::read_dir(&table.folder)? {
            let file = file?;
            fs::hard_link(file.path(), lake.join(file.file_name()))?;
        }
        let port = SERVER_PORT.to_string();
        let server = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", &port, "--access-key", "reader", "--secret-key", "secret"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let bucket = Self { server, wire: Wire::to(SERVER_PORT, PORT)?, _folder: folder };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", SERVER_PORT)).is_err() && begun.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(50));
        }
        Ok(bucket)
    }

    /// Bytes sent so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.wire.bytes()
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Compares counts from a bucket with those from a folder of the same files, by the cluster and by
/// this process.
pub(crate) fn counts(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(10)?;
    let _bucket = Bucket::of(&table)?;
    let servers = Servers::on_loopback(2, 1)?;
    let pairs = table.pairs();
    let expected = TableScan::open(&table.inputs(), &table.schema, &ReadOptions::default())?.count_tables(&pairs)?;
    let bucket = [Input::new(PEOPLE)];
    let there = servers.read_options()?;
    let here = ReadOptions { remote: None, ..there.clone() };
    let mut same = 0;
    for options in [here, there] {
        let begun = Instant::now();
        let counts = TableScan::open(&bucket, &table.schema, &options)?.count_tables(&pairs)?;
        println!("{:.1} s", begun.elapsed().as_secs_f64());
        same += u8::from(counts == expected);
    }
    figures.exactly(
        "counts from an object store: embedded and cluster equal to those from files",
        f64::from(same),
        "of 2",
        2.0,
    );
    Ok(())
}
