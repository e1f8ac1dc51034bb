//! Distances agree with `evaluate.py`, the reference program ("judge") for comparisons of methods.
//!
//! The test needs the benchmark tables (`SCUMBLE_BENCH_DATA`, by default `../shared/data` beside
//! the project), the judge beside them (`../eval/evaluate.py`), and a Python with numpy and pandas
//! (`SCUMBLE_PYTHON`). Without them it is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_evaluate::{CodedFile, Columns, MarginalDistances, MarginalSets};

/// The judge sums floats in another order.
const TOLERANCE: f64 = 1e-12;

struct Judge {
    python: PathBuf,
    program: PathBuf,
    data: PathBuf,
}

impl Judge {
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn find() -> Option<Self> {
        let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let data = std::env::var_os("SCUMBLE_BENCH_DATA").map_or_else(beside, PathBuf::from);
        let program = data.join("../eval/evaluate.py");
        if !data.join("adult").is_dir() || !program.is_file() {
            eprintln!("SKIPPED: no benchmark tables and judge; set SCUMBLE_BENCH_DATA to the folder of the tables");
            return None;
        }
        let Some(python) = std::env::var_os("SCUMBLE_PYTHON").map(PathBuf::from) else {
            eprintln!("SKIPPED: no judge; set SCUMBLE_PYTHON to a Python that has numpy and pandas");
            return None;
        };
        Some(Self { python, program, data })
    }

    fn run(&self, arguments: &[(&str, &Path)], command: &str) {
        let mut judge = Command::new(&self.python);
        judge.arg(&self.program).arg(command);
        for (option, path) in arguments {
            judge.arg(option).arg(path);
        }
        let output = judge.output().expect("SCUMBLE_PYTHON runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Returns two thirds of the rows, with each column rotated by a random offset: single columns keep
/// their distribution, and most relations are lost.
fn synthetic(real: &Columns) -> Columns {
    let mut dice = ChaCha8Rng::seed_from_u64(1);
    let rows = real.rows() as usize;
    let column = |attribute| {
        let codes = real.codes(attribute);
        let start = dice.random_range(0..rows);
        (0..rows / 3 * 2).map(|row| codes.get((start + row) % rows)).collect()
    };
    let codes = real.domain().attributes().map(column).collect();
    Columns::new(real.domain().clone(), codes).expect("codes of the same domain")
}

fn write(path: &Path, names: &[String], table: &Columns) {
    let mut text = names.join(",") + "\n";
    for row in 0..table.rows() as usize {
        let codes = table.domain().attributes().map(|attribute| table.codes(attribute).get(row).to_string());
        text += &(codes.collect::<Vec<_>>().join(",") + "\n");
    }
    fs::write(path, text).expect("the folder is ours");
}

#[test]
fn distances_are_those_of_the_judge() {
    let Some(judge) = Judge::find() else { return };
    // Marginals of the first two tables are dense. Those of the third have up to 8.5 billion cells.
    for name in ["nltcs", "br2000", "adult_mbi"] {
        let benchmark = judge.data.join(name);
        let CodedFile { names, columns: real } = CodedFile::in_folder(&benchmark).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let [sets, rows, scores] = ["sets.json", "synthetic.csv", "scores.json"].map(|file| folder.path().join(file));
        let domain = benchmark.join("domain.json");
        judge.run(&[("--domain", &domain), ("--out", &sets)], "sets");
        let synthetic = synthetic(&real);
        write(&rows, &names, &synthetic);
        let real_rows = benchmark.join("data.csv");
        judge.run(
            &[("--real", &real_rows), ("--synth", &rows), ("--domain", &domain), ("--sets", &sets), ("--out", &scores)],
            "score",
        );

        let sets = MarginalSets::read(&sets, &names).unwrap();
        assert_eq!(MarginalSets::drawn(names.len(), &[1, 2, 3, 4, 5], 300), sets, "the same sets without Python");
        let distances = MarginalDistances::between(&real, &synthetic, &sets).unwrap();
        let scores: serde_json::Value = serde_json::from_str(&fs::read_to_string(&scores).unwrap()).unwrap();
        let judged = scores["tvd"].as_object().unwrap();
        assert_eq!((distances.orders().len(), judged.len()), (5, 5));
        for ours in distances.orders() {
            let theirs = &judged[&ours.order.to_string()];
            let close = |field: &str, value: f64| (theirs[field].as_f64().unwrap() - value).abs() < TOLERANCE;
            assert!(close("mean", ours.mean) && close("max", ours.max), "{name}: {ours:?} against {theirs}");
            assert_eq!(theirs["count"].as_u64(), Some(ours.count as u64));
        }
        // Distances of zero would make the comparison empty.
        assert!(distances.order(2).unwrap().mean > 0.01);
    }
}
