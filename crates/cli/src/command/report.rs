//! `scumble report`

use scumble::Model;
use scumble::report::public_page;
use scumble::schema::WholeFile;
use serde_json::json;

use crate::arguments::Report;
use crate::failure::{Failure, cannot_write};
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &Report, terminal: &Terminal) -> Result<(), Failure> {
    let model = Model::read(&arguments.model)?;
    let page = public_page(&model, arguments.title.as_deref());
    let output = &arguments.output;
    WholeFile::write_all_to(output, page.as_bytes()).map_err(|error| cannot_write(output, &error))?;
    terminal.result(
        || json!({ "output": output, "bytes": page.len(), "model": model.fingerprint() }),
        || format!("wrote a page of {} KB to {}, which may be published", page.len().div_ceil(1_000), output.display()),
    );
    Ok(())
}
