//! `README.md`: the first page for recipients of a bundle.

use std::fmt::Write as _;

use scumble_mechanisms::Origin;
use scumble_mechanisms::quality::CheckedFigure;

use super::checksums;
use super::contents::{Contents, FILES, PROGRAM};
use super::signature::{NAMESPACE, SIGNATURE};

/// Returns the page for a bundle with these files.
pub(super) fn readme(contents: &Contents<'_>, names: &[&str]) -> String {
    let release = contents.release;
    let publisher = &release.publisher;
    let columns = contents.model.schema().output_columns().len();
    let mut text = format!(
        "# {}\n\n{}\n\n{} rows, {columns} columns, version {} of {}.\n\n## Files\n\n| file | what it is |\n|---|---|\n",
        contents.title(),
        contents.description(),
        release.rows,
        publisher.version(),
        release.date
    );
    let list = (checksums::LIST, "SHA-256 of every other file");
    for (name, what) in FILES.iter().filter(|(name, _)| names.contains(name)).chain([&list]) {
        writeln!(text, "| `{name}` | {what} |").expect("writing to a string cannot fail");
    }
    if let Some(checked) = release.checked(contents.model) {
        let judged = release.criteria.as_ref().map(|criteria| criteria.judge(&checked)).unwrap_or_default();
        text.push_str(
            "\n## How good the rows are\n\nReleased with noise, within the guarantee, so these figures may be published. \
             Each has a 95 % interval. An error of a table is the share of rows in the wrong cell.\n\n",
        );
        for judged in &judged {
            writeln!(text, "- {judged}").expect("writing to a string cannot fail");
        }
        let is_judged = |figure: &CheckedFigure| judged.iter().any(|judged| judged.measured == *figure);
        for figure in checked.figures.iter().filter(|figure| !is_judged(figure)) {
            writeln!(text, "- {figure}").expect("writing to a string cannot fail");
        }
    }
    let claim = match contents.model.origin() {
        Origin::Measured { .. } => "that the totals of the certificate follow from its releases",
        Origin::External(_) => "that what is declared about privacy is what the model carries",
    };
    write!(
        text,
        "\n## How to use the rows\n\n\
         Read `report.html` first: it says which tables were measured, with how much noise, and which relations between columns \
         nobody should rely on. Small counts are mostly noise. A row is a draw from the model and stands for no person.\n\n\
         ## How to check this folder\n\n\
         ```sh\n\
         sha256sum -c {list}      # no byte differs from what was listed\n\
         scumble bundle verify .      # and everything follows from the model\n\
         ```\n\n\
         The second needs {PROGRAM}. It checks {claim}, that each document is the one that follows from the model, and that the \
         rows are those that the model draws ({sampling}, seed {seed}). It cannot know whether the schema was declared without a \
         look at the real table.\n\n\
         Neither shows who made the folder. A file `{signature}`, if there is one, is an SSH signature of the list of checksums. \
         With a file SIGNERS that has the name and the public key of the publisher, from another place than this folder, it is \
         checked by `scumble bundle verify . --signers SIGNERS`, or by OpenSSH alone:\n\n\
         ```sh\n\
         ssh-keygen -Y verify -n {namespace} -f SIGNERS -I NAME -s {signature} < {list}\n\
         ```\n\n\
         ## How to cite\n\n{citation}\n",
        list = checksums::LIST,
        signature = SIGNATURE,
        namespace = NAMESPACE,
        sampling = release.sampling,
        seed = release.seed,
        citation = contents.citation()
    )
    .expect("writing to a string cannot fail");
    let terms = [("Licence", &publisher.licence), ("Contact", &publisher.contact), ("Published at", &publisher.url)];
    let terms: Vec<String> =
        terms.iter().filter_map(|(name, said)| said.as_ref().map(|said| format!("{name}: {said}"))).collect();
    if !terms.is_empty() {
        write!(text, "\n## Terms\n\n{}\n", terms.join("  \n")).expect("writing to a string cannot fail");
    }
    text
}
