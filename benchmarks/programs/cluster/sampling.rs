//! A hundred million rows, drawn by one executor and by two.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use scumble::{ApproxDp, Delta, Epsilon, Method};

use super::servers::{Servers, program};
use super::table::Table;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

const ROWS: &str = "1e8";

pub(crate) fn rows(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(5)?;
    let folder = tempfile::tempdir_in(super::table::cache())?;
    let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
    let model = scumble::Fit::new(&table.schema, goal).method(Method::named("mst")?).run(&table.inputs())?;
    model.write(&folder.path().join("model"))?;
    let mut digests = vec![];
    for executors in [1, 2] {
        let servers = Servers::on_loopback(executors, 1)?;
        let output = folder.path().join("rows");
        let begun = Instant::now();
        let ran = Command::new(program())
            .args(["sample", "--rows", ROWS, "--seed", "7", "--engine", &servers.engine(), "--tls"])
            .arg(servers.certificates.client())
            .arg(folder.path().join("model"))
            .arg("-o")
            .arg(&output)
            .status()?;
        if !ran.success() {
            return Err("the rows were not drawn".into());
        }
        println!("{executors} executors: {:.1} s", begun.elapsed().as_secs_f64());
        digests.push(digest(&output)?);
        fs::remove_dir_all(output)?;
    }
    println!("{} files", digests[0].len());
    figures.exactly(
        "10^8 rows drawn by 2 executors equal to those of 1",
        f64::from(u8::from(digests[0] == digests[1])),
        "of 1",
        1.0,
    );
    Ok(())
}

/// The names and SHA-256 sums of all files.
fn digest(folder: &Path) -> Result<Vec<String>> {
    let mut names: Vec<_> =
        fs::read_dir(folder)?.map(|file| file.map(|file| file.file_name())).collect::<Result<_, _>>()?;
    names.sort();
    let output = Command::new("sha256sum").args(names).current_dir(folder).output()?;
    Ok(String::from_utf8(output.stdout)?.lines().map(ToOwned::to_owned).collect())
}
