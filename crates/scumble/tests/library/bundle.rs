//! Bundles: their contents, and that verification finds every change.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use scumble::bundle::{self, Outcome, Publisher, Release, Verification};
use scumble::mechanisms::marginals::{self, Marginals};
use scumble::{Model, Sampling, Schema};
use sha2::{Digest, Sha256};

use crate::support::{SCHEMA, files, goal, model, release};

/// A folder with a bundle in it.
struct Bundle {
    around: tempfile::TempDir,
}

impl Bundle {
    fn of(model: &Model, release: &Release) -> Self {
        let bundle = Self { around: tempfile::tempdir().unwrap() };
        bundle::create(model, release, &bundle.path(), |_| true).unwrap();
        bundle
    }

    fn path(&self) -> PathBuf {
        self.around.path().join("bundle")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    fn verify(&self) -> Verification {
        bundle::verify(&self.path(), |_, _| true).unwrap()
    }

    /// Returns the outcome of the check about this subject.
    fn outcome(&self, about: &str) -> Outcome {
        let found = self.verify();
        found.checks.iter().find(|check| check.about == about).unwrap_or_else(|| panic!("{found:?}")).outcome
    }

    /// Updates the list of checksums, as somebody would who wants to hide a change.
    fn cover_up(&self) {
        let mut files = files(&self.path());
        files.remove("SHA256SUMS");
        let mut list = String::new();
        for (name, bytes) in files {
            writeln!(list, "{}  {name}", sum(&bytes)).unwrap();
        }
        std::fs::write(self.file("SHA256SUMS"), list).unwrap();
    }

    fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.text(name);
        assert!(text.contains(from), "{name} has no {from}");
        std::fs::write(self.file(name), text.replace(from, to)).unwrap();
    }
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

const FILES_OF_A_MEASURED_MODEL: [&str; 14] = [
    "README.md",
    "SHA256SUMS",
    "certificate.json",
    "certificate.txt",
    "croissant.json",
    "data/synthetic.csv",
    "data/synthetic.parquet",
    "datapackage.json",
    "index.html",
    "marginals.json",
    "model.scumble",
    "model.svg",
    "registry-entry.yaml",
    "report.html",
];

#[test]
fn a_bundle_holds_and_is_the_same_byte_for_byte() {
    let model = model("independent");
    let (first, second) = (Bundle::of(&model, &release()), Bundle::of(&model, &release()));
    assert_eq!(files(&first.path()), files(&second.path()));
    assert_eq!(files(&first.path()).into_keys().collect::<Vec<_>>(), FILES_OF_A_MEASURED_MODEL);
    let found = first.verify();
    assert!(found.checks.iter().all(|check| check.outcome == Outcome::Passed), "{found:#?}");

    let other = Bundle::of(&model, &Release { seed: 8, ..release() });
    let changed: Vec<String> = (files(&first.path()).into_iter().zip(files(&other.path())))
        .filter(|(one, other)| one != other)
        .map(|((name, _), _)| name)
        .collect();
    for name in ["data/synthetic.csv", "data/synthetic.parquet", "datapackage.json", "SHA256SUMS"] {
        assert!(changed.iter().any(|changed| changed == name), "{name} does not depend on the seed");
    }
    for name in ["certificate.json", "model.scumble", "report.html"] {
        assert!(changed.iter().all(|changed| changed != name), "{name} depends on the seed");
    }
}

#[test]
fn the_index_page_links_every_file_and_names_the_contact() {
    let mut asked = release();
    asked.publisher.contact = Some("data@example.org & <others>".into());
    asked.publisher.title = Some("People & homes".into());
    let bundle = Bundle::of(&model("independent"), &asked);
    let page = bundle.text("index.html");
    assert!(page.contains("<title>People &amp; homes</title>"), "{page}");
    assert!(page.contains("data@example.org &amp; &lt;others&gt;"), "{page}");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for name in FILES_OF_A_MEASURED_MODEL.into_iter().filter(|name| *name != "index.html") {
        assert!(links.contains(&name), "no link to {name}");
    }
    for link in links.into_iter().filter(|link| !link.starts_with('#') && !link.starts_with("data:,")) {
        assert!(bundle.file(link).exists(), "{link} leads nowhere");
    }
    assert!(!bundle.text("registry-entry.yaml").contains("0.99999"), "people see the epsilon that was asked for");
    assert!(page.contains("[TO BE FILLED IN BY THE PUBLISHER: the licence]"), "{page}");
    bundle.replace("index.html", "What is promised", "What is guaranteed");
    bundle.cover_up();
    assert_eq!(bundle.outcome("index.html"), Outcome::Failed, "a page that was changed is noticed");
}

#[test]
fn the_model_is_the_file_that_was_read() {
    let around = tempfile::tempdir().unwrap();
    let path = around.path().join("a.model");
    model("mst").write(&path).unwrap();
    let bundle = Bundle::of(&Model::read(&path).unwrap(), &release());
    assert_eq!(std::fs::read(bundle.file("model.scumble")).unwrap(), std::fs::read(path).unwrap());
}

#[test]
fn every_sampling_method_can_be_verified() {
    let model = model("mst");
    for sampling in [Sampling::Matched, Sampling::LowVariance, Sampling::Independent] {
        for rows in [0, 1, 70_000] {
            let bundle = Bundle::of(&model, &Release { sampling, rows, ..release() });
            assert!(bundle.verify().holds(), "{sampling:?} {rows} {:#?}", bundle.verify());
        }
    }
}

#[test]
fn a_model_without_tables_has_none_in_its_bundle() {
    let schema = "dp: {adjacency: replace-one}\nfields: [{name: heads, type: boolean, constraints: {required: true}}]";
    let schema = Schema::parse(schema).unwrap();
    let around = tempfile::tempdir().unwrap();
    let path = around.path().join("coins.csv");
    std::fs::write(&path, "heads\ntrue\nfalse\ntrue\n").unwrap();
    let method = scumble::Method::named("smoothed-histogram").unwrap();
    let inputs = [scumble::Input::new(&path)];
    let model = scumble::Fit::new(&schema, goal()).method(method).run(&inputs).unwrap();
    let bundle = Bundle::of(&model, &release());
    assert!(!bundle.file("marginals.json").exists() && !bundle.text("README.md").contains("marginals.json"));
    assert!(bundle.verify().holds(), "{:#?}", bundle.verify());
}

#[test]
fn a_declaration_of_another_party_is_not_called_a_certificate() {
    let schema = Schema::parse(SCHEMA).unwrap();
    let tables = Bundle::of(&model("independent"), &release()).text("marginals.json");
    let tables = tables.replace("\"maker\":\"scumble", "\"maker\":\"room 2, with scumble");
    let model = marginals::fit(&schema, Marginals::parse(tables.as_bytes(), &schema).unwrap()).unwrap();
    let bundle = Bundle::of(&model, &release());
    assert!(!bundle.file("certificate.json").exists() && !bundle.file("certificate.txt").exists());
    for name in
        ["declared.json", "declared.txt", "README.md", "datapackage.json", "croissant.json", "registry-entry.yaml"]
    {
        let text = bundle.text(name);
        assert!(text.contains("room 2") && !text.contains("certificate.json"), "{name}: {text}");
    }
    assert!(bundle.verify().holds(), "{:#?}", bundle.verify());
    bundle.replace("declared.json", "room 2", "room 3");
    bundle.cover_up();
    assert_eq!(bundle.outcome("guarantee"), Outcome::Failed);
}

#[test]
fn a_cancelled_or_refused_bundle_leaves_no_files() {
    let model = model("independent");
    let around = tempfile::tempdir().unwrap();
    let path = around.path().join("bundle");
    assert!(bundle::create(&model, &release(), &path, |_| false).is_err());
    let broken = Publisher { title: Some("two\nlines".into()), ..Publisher::default() };
    assert!(bundle::create(&model, &Release { publisher: broken, ..release() }, &path, |_| true).is_err());
    assert_eq!(std::fs::read_dir(around.path()).unwrap().count(), 0);
    std::fs::create_dir(&path).unwrap();
    let error = bundle::create(&model, &release(), &path, |_| true).unwrap_err();
    assert!(error.to_string().ends_with("exists already"), "{error}");
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
}

/// Files up to this length have every byte flipped.
const SMALL: usize = 2_500;
/// Number of bytes to flip in longer files, spread over their length.
const PLACES: usize = 300;

#[test]
fn any_flipped_byte_is_found() {
    let bundle = Bundle::of(&model("independent"), &release());
    let mut flips = 0_u32;
    for (name, bytes) in files(&bundle.path()) {
        let step = if bytes.len() <= SMALL { 1 } else { bytes.len() / PLACES };
        let places = (0..bytes.len()).step_by(step).chain([bytes.len() - 1]);
        for place in places {
            let mut flipped = bytes.clone();
            // A different bit each time, including the one that changes the case of letters.
            flipped[place] ^= 1 << (flips % 8);
            std::fs::write(bundle.file(&name), &flipped).unwrap();
            assert!(!bundle.verify().holds(), "{name}, byte {place}");
            flips += 1;
        }
        std::fs::write(bundle.file(&name), &bytes).unwrap();
    }
    assert!(bundle.verify().holds());
    assert!(flips > 3_000, "{flips}");
}

#[test]
fn every_bit_of_the_list_of_sums_counts() {
    let bundle = Bundle::of(&model("independent"), &release());
    let list = std::fs::read(bundle.file("SHA256SUMS")).unwrap();
    for (place, bit) in (0..list.len()).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
        let mut flipped = list.clone();
        flipped[place] ^= 1 << bit;
        std::fs::write(bundle.file("SHA256SUMS"), &flipped).unwrap();
        assert!(!bundle.verify().holds(), "byte {place}, bit {bit}");
    }
}

/// A change to a folder.
type Damage = fn(&Path);

#[test]
fn missing_extra_renamed_and_torn_files_are_found() {
    let model = model("independent");
    let damages: [(&str, Damage); 8] = [
        ("missing", |folder| std::fs::remove_file(folder.join("report.html")).unwrap()),
        ("extra", |folder| std::fs::write(folder.join("extra.txt"), "").unwrap()),
        ("extra within", |folder| std::fs::write(folder.join("data/extra.csv"), "").unwrap()),
        ("renamed", |folder| std::fs::rename(folder.join("model.svg"), folder.join("Model.svg")).unwrap()),
        ("exchanged", |folder| {
            std::fs::copy(folder.join("report.html"), folder.join("model.svg")).unwrap();
        }),
        ("torn", |folder| {
            let bytes = std::fs::read(folder.join("model.scumble")).unwrap();
            std::fs::write(folder.join("model.scumble"), &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("longer", |folder| {
            let bytes = std::fs::read(folder.join("README.md")).unwrap();
            std::fs::write(folder.join("README.md"), [&bytes[..], b"\n"].concat()).unwrap();
        }),
        ("no list", |folder| std::fs::remove_file(folder.join("SHA256SUMS")).unwrap()),
    ];
    for (what, damage) in damages {
        let bundle = Bundle::of(&model, &release());
        damage(&bundle.path());
        assert!(!bundle.verify().holds(), "{what}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_leads_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let model = model("independent");
    // A link to identical bytes is still a link.
    let bundle = Bundle::of(&model, &release());
    let outside = bundle.around.path().join("README.md");
    std::fs::rename(bundle.file("README.md"), &outside).unwrap();
    symlink(&outside, bundle.file("README.md")).unwrap();
    assert!(bundle.verify().checks[0].text.contains("`README.md` (a link)"), "{:?}", bundle.verify());
    // So is a link to the folder of rows.
    let bundle = Bundle::of(&model, &release());
    let outside = bundle.around.path().join("data");
    std::fs::rename(bundle.file("data"), &outside).unwrap();
    symlink(&outside, bundle.file("data")).unwrap();
    assert!(!bundle.verify().holds());
    // Names in the list are never followed out of the folder.
    for name in ["../outside", "/etc/passwd", "data/../../outside", "./README.md", "data//synthetic.csv"] {
        let bundle = Bundle::of(&model, &release());
        std::fs::write(bundle.around.path().join("outside"), "x").unwrap();
        let list = bundle.text("SHA256SUMS");
        let mut lines: Vec<String> = list.lines().map(Into::into).collect();
        lines.push(format!("{}  {name}", sum(b"x")));
        lines.sort_by(|one, other| one[66..].cmp(&other[66..]));
        std::fs::write(bundle.file("SHA256SUMS"), lines.join("\n") + "\n").unwrap();
        assert!(!bundle.verify().holds(), "{name}");
    }
}

#[test]
fn a_file_name_cannot_affect_the_terminal() {
    let bundle = Bundle::of(&model("independent"), &release());
    std::fs::write(bundle.file("a\u{1b}[2J\nok"), "").unwrap();
    std::fs::write(bundle.file(&"long".repeat(50)), "").unwrap();
    let text = &bundle.verify().checks[0].text;
    assert!(!text.contains(char::is_control) && text.len() < 300, "{text}");
}

#[test]
fn a_change_with_an_updated_checksum_is_found() {
    let model = model("independent");
    let changes = [
        ("README.md", "Office of Statistics", "Office of Truth"),
        ("certificate.json", "\"epsilon\": 0.9", "\"epsilon\": 0.8"),
        ("certificate.txt", "protected", "Protected"),
        ("croissant.json", "sc:Integer", "sc:Float"),
        ("datapackage.json", "\"rows\": 400", "\"rows\": 401"),
        ("datapackage.json", "\"seed\": \"7\"", "\"seed\": \"8\""),
        ("datapackage.json", "Office of Statistics", "Office of Truth"),
        ("datapackage.json", "\"bytes\": ", "\"bytes\": 1"),
        ("marginals.json", "\"standard_deviation\":", "\"standard_deviation\":1"),
        ("model.svg", "<svg", "<svg "),
        ("registry-entry.yaml", "epsilon: 1", "epsilon: 0.8"),
        ("report.html", "<", "<!-- -->\n<"),
        ("data/synthetic.csv", "north", "elsewhere"),
        ("data/synthetic.csv", "north", "NORTH"),
        ("data/synthetic.csv", "age,region", "age,Region"),
    ];
    for (name, from, to) in changes {
        let bundle = Bundle::of(&model, &release());
        bundle.replace(name, from, to);
        bundle.cover_up();
        let found = bundle.verify();
        assert!(!found.holds(), "{name}: {from} to {to}: {found:#?}");
        assert_eq!(found.checks[1].outcome, Outcome::Passed, "the checksums match");
    }
}

#[test]
fn rows_of_another_seed_are_found_by_value_and_by_draw() {
    let model = model("independent");
    let (bundle, other) = (Bundle::of(&model, &release()), Bundle::of(&model, &Release { seed: 8, ..release() }));
    // One of the files: the values differ.
    std::fs::copy(other.file("data/synthetic.csv"), bundle.file("data/synthetic.csv")).unwrap();
    bundle.cover_up();
    assert_eq!(bundle.outcome("values"), Outcome::Failed);
    // Both files: the rows are not those of the seed.
    std::fs::copy(other.file("data/synthetic.parquet"), bundle.file("data/synthetic.parquet")).unwrap();
    bundle.cover_up();
    assert_eq!((bundle.outcome("values"), bundle.outcome("rows")), (Outcome::Passed, Outcome::Failed));
    // Fewer rows than recorded.
    let fewer = Bundle::of(&model, &Release { rows: 399, ..release() });
    for name in ["data/synthetic.csv", "data/synthetic.parquet"] {
        std::fs::copy(fewer.file(name), bundle.file(name)).unwrap();
    }
    bundle.cover_up();
    assert_eq!((bundle.outcome("values"), bundle.outcome("rows")), (Outcome::Failed, Outcome::NotChecked));
}

#[test]
fn a_value_that_is_not_declared_is_found() {
    let model = model("independent");
    // As text and with a correct checksum, in every column.
    let rows = "41,north,1950-03-01,2020-01-01T07:00:00,true,3.5,2019";
    for (place, strange) in
        ["141", "canary", "1951-03-01", "2021-01-01T07:00:00", "ja", "10.5", "2021"].iter().enumerate()
    {
        let bundle = Bundle::of(&model, &Release { rows: 1, ..release() });
        let header = bundle.text("data/synthetic.csv").lines().next().unwrap().to_owned();
        let mut values: Vec<&str> = rows.split(',').collect();
        values[place] = strange;
        std::fs::write(bundle.file("data/synthetic.csv"), format!("{header}\n{}\n", values.join(","))).unwrap();
        bundle.cover_up();
        let found = bundle.verify();
        let values = found.checks.iter().find(|check| check.about == "values").unwrap();
        assert!(values.text.contains("not all declared"), "{strange}: {found:#?}");
    }
}

#[test]
fn a_bundle_of_another_version_is_checked_as_far_as_it_goes() {
    let bundle = Bundle::of(&model("independent"), &release());
    let (own, others) = (concat!("scumble ", env!("CARGO_PKG_VERSION")), "scumble 0.0.9");
    for name in ["datapackage.json", "croissant.json", "README.md", "registry-entry.yaml"] {
        bundle.replace(name, own, others);
    }
    bundle.cover_up();
    let found = bundle.verify();
    assert!(found.holds(), "{found:#?}");
    assert_eq!(bundle.outcome("README.md"), Outcome::NotChecked);
    assert_eq!((bundle.outcome("guarantee"), bundle.outcome("rows")), (Outcome::Passed, Outcome::Passed));
    // Figures are compared whatever the version.
    bundle.replace("certificate.json", "\"epsilon\": 0.9", "\"epsilon\": 0.8");
    bundle.cover_up();
    assert_eq!(bundle.outcome("guarantee"), Outcome::Failed);
    bundle.replace("croissant.json", "\"sha256\": \"", "\"sha256\": \"0");
    bundle.cover_up();
    assert_eq!(bundle.outcome("croissant.json"), Outcome::Failed);
}

#[test]
fn a_missing_document_of_the_model_is_found() {
    let bundle = Bundle::of(&model("independent"), &release());
    for name in ["certificate.json", "report.html"] {
        std::fs::remove_file(bundle.file(name)).unwrap();
    }
    bundle.cover_up();
    assert_eq!((bundle.outcome("contents"), bundle.outcome("guarantee")), (Outcome::Failed, Outcome::Failed));
}
