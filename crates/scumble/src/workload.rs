//! Workload files.

use std::path::Path;

use scumble_mechanisms::Workload;
use serde::Deserialize;

use crate::error::Error;
use crate::settings_file;

/// A file that names the tables of a workload.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkloadFile {
    tables: Workload,
}

/// Reads a workload from a YAML or JSON file such as
/// `tables: [{columns: [age, income], weight: 2}]`.
///
/// Columns are compared with the schema once a method is fitted or planned.
///
/// # Errors
/// [`Error::Workload`] if the file cannot be read, or has another form.
pub fn read_workload(path: &Path) -> Result<Workload, Error> {
    let refused = |problem: String| Error::Workload { path: path.display().to_string(), problem };
    let text = settings_file::read(path).map_err(refused)?;
    let file: WorkloadFile = settings_file::parse(&text).map_err(refused)?;
    Ok(file.tables)
}

#[cfg(test)]
mod tests {
    use scumble_mechanisms::WorkloadColumn;

    use super::*;

    fn read(text: &str) -> Result<Workload, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("workload.yaml");
        std::fs::write(&path, text).unwrap();
        read_workload(&path)
    }

    #[test]
    fn yaml_and_json_name_the_same_tables() {
        let yaml = read("tables:\n- columns: [age, 3]\n  weight: 2\n- target: income\n").unwrap();
        let json = r#"{"tables": [{"columns": ["age", 3], "weight": 2.0}, {"target": "income"}]}"#;
        assert_eq!(yaml, read(json).unwrap());
        let [pair, target] = yaml.tables() else { panic!("two entries") };
        assert_eq!(pair.columns, [WorkloadColumn::Name("age".into()), WorkloadColumn::Place(3)]);
        assert_eq!(target.target, Some(WorkloadColumn::Name("income".into())));
    }

    #[test]
    fn other_forms_are_refused_with_an_example() {
        for wrong in ["", "- columns: [age]", "tables: [{column: [age]}]", "tables: [{columns: [age], weight: many}]"] {
            let error = read(wrong).unwrap_err();
            assert!(error.to_string().contains("workload file"), "{wrong}: {error}");
            assert!(error.hint().unwrap().contains("tables:"), "{wrong}");
        }
        let error = read_workload(Path::new("/nowhere/workload.yaml")).unwrap_err().to_string();
        assert!(error.contains("no such file"), "{error}");
    }
}
