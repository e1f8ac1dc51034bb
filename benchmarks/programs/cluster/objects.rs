//! Parquet files in an object store that speaks S3: s3s-fs, a server of files.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use scumble::engine::TableScan;
use scumble::{Input, ReadOptions};
use scumble_engine::exact::ExactCounts;

use super::servers::Servers;
use super::table::Table;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

const PORT: u16 = 52_014;

/// Compares counts from a bucket with those from a folder of the same files, by the cluster and by
/// this process.
pub(crate) fn counts(figures: &mut Figures) -> Result<()> {
    let Some(server) = std::env::var_os("SCUMBLE_S3_SERVER").map(PathBuf::from) else {
        return Err("SCUMBLE_S3_SERVER names no server of objects; see cluster/figures.sh".into());
    };
    let table = Table::of_millions(10)?;
    let folder = tempfile::tempdir_in(super::table::cache())?;
    let lake = folder.path().join("lake").join("people");
    fs::create_dir_all(&lake)?;
    for file in fs::read_dir(&table.folder)? {
        let file = file?;
        fs::hard_link(file.path(), lake.join(file.file_name()))?;
    }
    let mut process = Command::new(server)
        .args(["--host", "127.0.0.1", "--port", &PORT.to_string(), "--access-key", "reader", "--secret-key", "secret"])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", PORT)).is_err() && begun.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(50));
    }
    let outcome = compare(&table, figures);
    process.kill()?;
    process.wait()?;
    outcome
}

fn compare(table: &Table, figures: &mut Figures) -> Result<()> {
    let servers = Servers::on_loopback(2, 1)?;
    let pairs = table.pairs();
    let expected = TableScan::open(&table.inputs(), &table.schema, &ReadOptions::default())?.count_tables(&pairs)?;
    let bucket = [Input::new("s3://lake/people/")];
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
