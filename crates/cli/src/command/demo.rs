//! `scumble demo`

use scumble::{TableWriter, demo};
use serde_json::json;

use crate::arguments::Demo;
use crate::failure::{Failure, cannot_write};
use crate::interrupt::Writing;
use crate::output;
use crate::terminal::{Terminal, Unit};

pub(crate) fn run(arguments: &Demo, terminal: &Terminal) -> Result<(), Failure> {
    let folder = &arguments.output;
    output::refuse_stdout(folder, "a folder")?;
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let (data, schema) = (folder.join("people.csv"), folder.join("people.schema.yaml"));
    output::check([], [&data, &schema], arguments.overwriting.force)?;
    output::write(&schema, demo::PEOPLE_SCHEMA.as_bytes(), terminal)?;

    let writing = Writing::begin();
    let bar = terminal.progress("writing", arguments.rows, Unit::Rows);
    let people = demo::people(arguments.rows, arguments.seed);
    let mut writer = TableWriter::create(&data, people.arrow_schema().clone())?;
    for batch in people {
        writer.write(&batch)?;
        bar.inc(batch.num_rows() as u64);
        if writing.stop_requested() {
            return Err(scumble::Error::Interrupted.into());
        }
    }
    writer.finish()?;
    bar.finish_and_clear();
    terminal.result(
        || json!({ "data": data, "schema": schema, "rows": arguments.rows }),
        || {
            format!(
                "wrote {} made-up people to {} and their schema to {}",
                arguments.rows,
                data.display(),
                schema.display()
            )
        },
    );
    Ok(())
}
