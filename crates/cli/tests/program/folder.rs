//! A folder with a small table, to run the program in.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder to run the program in.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Creates a folder with a table of two columns and its schema.
    pub(crate) fn with_table() -> Self {
        let folder = Self::new();
        let rows: String =
            (0..500).map(|row| [["1,yes\n", "22,no\n"], ["38,yes\n", ",no\n"]][row % 2][row / 2 % 2]).collect();
        folder.write("table.csv", format!("age,smoker\n{rows}"));
        folder.write("table.schema.yaml", SCHEMA);
        folder
    }

    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        // Help texts are wrapped to the width in the environment.
        let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
        program.args(arguments).current_dir(self.0.path()).env_remove("COLUMNS").output().unwrap()
    }

    /// Returns the whole output of a run.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        format!(
            "$ scumble {}\n{}----- stderr\n{}----- exit code {}\n",
            arguments.join(" "),
            text(&output.stdout),
            text(&output.stderr),
            output.status.code().unwrap()
        )
    }

    /// Returns all files, also those in subfolders, with their contents.
    pub(crate) fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let content = std::fs::read(&path).unwrap();
                    files.push((path, content));
                }
            }
        }
        files.sort();
        files
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// The schema of that table.
pub(crate) const SCHEMA: &str = "\
fields:
  - name: age
    type: integer
    constraints: {minimum: 0, maximum: 99}
    dp: {source: public, bins: {width: 10}}
  - name: smoker
    type: string
    constraints: {enum: [yes, no], required: true}
    dp: {source: public}
";
/// Command that fits it, without the name of the model.
pub(crate) const FIT: [&str; 11] = [
    "fit",
    "table.csv",
    "--schema",
    "table.schema.yaml",
    "--method",
    "independent",
    "--epsilon",
    "1",
    "--delta",
    "1e-9",
    "-o",
];

/// Returns an uncompressed archive of files.
pub(crate) fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let word = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
    let short = |value: usize| u16::try_from(value).unwrap().to_le_bytes();
    let (mut contents, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let sizes = [[0; 4], word(text.len()), word(text.len())].concat();
        let place = word(contents.len());
        let entry = [&sizes[..], &short(name.len())].concat();
        contents.extend([b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0", &entry[..], &[0; 2]].concat());
        contents.extend([name.as_bytes(), text.as_bytes()].concat());
        directory.extend([b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0", &entry[..], &[0; 12]].concat());
        directory.extend([&place[..], name.as_bytes()].concat());
    }
    let [count, size, start] = [short(files.len()).to_vec(), word(directory.len()).into(), word(contents.len()).into()];
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size, &start, &[0; 2]].concat();
    [contents, directory, end].concat()
}

/// Compares with the snapshot, without noise.
macro_rules! assert_output {
    ($output:expr) => {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"(?m)^rows +\d+", "rows       [ROWS]");
        settings.add_filter(r"wrote \d+ synthetic rows", "wrote [ROWS] synthetic rows");
        settings.add_filter(r"\d+\.\d %", "[SHARE] %");
        settings.add_filter(r"\(0\.\d{6,}, 1e-9\)", "([EPSILON], 1e-9)");
        settings.add_filter(r"scumble \d+\.\d+\.\d+", "scumble [VERSION]");
        settings.bind(|| insta::assert_snapshot!($output));
    };
}
pub(crate) use assert_output;
