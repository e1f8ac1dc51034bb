//! The Python package `mbi`, in an environment of its own that is made when it is not there.

use std::path::{Path, PathBuf};
use std::process::Command;

use scumble_benchmarks::python::python_with;
use serde::Deserialize;

/// The version that is compared with.
const PACKAGE: &str = "mbi==2.0.0";

/// A Python that has `mbi`.
pub(crate) struct Peer {
    python: PathBuf,
}

/// The numbers that the peer computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Its default.
    Single,
    /// What it advises for tables of more than 100,000 rows.
    Double,
}

/// What a fit cost the peer, compilation left out, and how good it was.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct PeerEstimate {
    pub(crate) loss: f64,
    pub(crate) cpu_seconds: f64,
    pub(crate) wall_seconds: f64,
    /// The most memory it held.
    pub(crate) peak_mib: f64,
    /// How much of that was there before it read a table.
    pub(crate) import_mib: f64,
    /// Programs that were compiled while the clock ran: none, or the time is not what it says.
    compilations: u32,
}

#[derive(Debug, Deserialize)]
struct PeerRows {
    rows: f64,
    cpu_seconds: f64,
}

impl Peer {
    /// The peer; `None`, with a word why, where it cannot be had.
    pub(crate) fn find() -> Option<Self> {
        Some(Self { python: python_with("scumble-peers/mbi", "mbi", &[PACKAGE])? })
    }

    /// Mirror descent on a file of measured tables.
    pub(crate) fn estimate(&self, file: &Path, iterations: u32, precision: Precision) -> PeerEstimate {
        let iterations = iterations.to_string();
        let precision: &[&str] = if precision == Precision::Double { &["float64"] } else { &[] };
        let text = self.run("estimate", file, &[&[iterations.as_str()], precision].concat());
        let estimate: PeerEstimate = serde_json::from_str(&text).expect("the script prints an estimate");
        assert_eq!(estimate.compilations, 0, "compilation is not to be counted");
        estimate
    }

    /// Rows per processor second of its sampler, on a model of a file of measured tables.
    pub(crate) fn rows_per_cpu_second(&self, file: &Path, rows: u32) -> f64 {
        // The speed does not depend on how well the model fits.
        let text = self.run("sample", file, &["100", &rows.to_string()]);
        let PeerRows { rows, cpu_seconds } = serde_json::from_str(&text).expect("the script prints its rows");
        rows / cpu_seconds
    }

    fn run(&self, command: &str, file: &Path, arguments: &[&str]) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/pgm/peer.py");
        let mut python = Command::new(&self.python);
        // `mbi` itself advises against keeping compiled programs, and kept ones would hide the
        // memory they take.
        python.env("JAX_ENABLE_COMPILATION_CACHE", "false");
        let output = python.arg(script).arg(command).arg(file).args(arguments).output().expect("the peer starts");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("JSON is text")
    }
}
