//! The replay test, T1, for bundles: for neighbouring tables with the same released values, all
//! bytes of the folder are equal.

use std::error::Error;
use std::num::NonZeroUsize;

use crate::support;
use scumble::bundle::{self, Release};
use scumble::mechanisms::{MethodAccounting, MethodAdjacency, fit_in};
use scumble::{Method, Sampling, Schema};
use scumble_testing::{Artefacts, Part, Subject, assert_part};
use scumble_vault::{AddRemove, Budget, Gdp, Pure, ReplaceOne, Vault, Zcdp};

/// A fit, and everything that would be published of it.
struct Published(Method);

fn published(method: &str, options: &[&str]) -> Published {
    Published(Method::named(method).unwrap().with_options(options.iter().copied()).unwrap())
}

impl<A: MethodAdjacency, M: MethodAccounting> Subject<A, M> for Published {
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
        let model = fit_in(vault, budget, schema, &self.0)?;
        let around = tempfile::tempdir()?;
        let folder = around.path().join("bundle");
        // The number of rows of the model, which is released too.
        let release = Release { rows: model.rows(), sampling: Sampling::Matched, ..support::release() };
        let names = bundle::create(&model, &release, &folder, |_| true)?;
        assert_eq!(names.len(), support::files(&folder).len(), "a file of the bundle would not be compared");
        let mut artefacts = Artefacts::new();
        for name in names {
            artefacts = artefacts.with(name, std::fs::read(folder.join(name))?);
        }
        Ok(artefacts)
    }
}

/// Sets the number of pairs: few, because every bundle is a dozen files.
fn some<A: MethodAdjacency>(part: Part<A>, pairs: usize) -> Part<A> {
    let every = NonZeroUsize::new(part.pairs().len() / pairs).unwrap();
    part.thinned(every, 0)
}

#[test]
fn a_row_added_to_a_small_table() {
    let part = || some(Part::<AddRemove>::every_row_added_to_every_small_binary_table(), 12);
    assert_part::<_, Gdp>(&part(), &published("independent", &[]));
    assert_part::<_, Pure>(&part(), &published("pb-pgm", &["degree=1"]));
    assert_part::<_, Zcdp>(&part(), &published("mst", &["merge_below=0.3"]));
}

#[test]
fn missing_and_unknown_values_added() {
    let part = || some(Part::<AddRemove>::rows_of_missing_and_unknown_values_added(), 20);
    assert_part::<_, Gdp>(&part(), &published("independent", &[]));
    assert_part::<_, Gdp>(&part(), &published("privbayes-nist", &["network_share=0.7", "group_width=2"]));
}

#[test]
fn rows_of_one_unit_added() {
    let part = some(Part::<AddRemove>::up_to_two_rows_of_one_unit_added(), 20);
    assert_part::<_, Gdp>(&part, &published("aim", &["rounds_per_column=1", "workload_columns=2", "candidates=8"]));
}

#[test]
fn random_rows_added() {
    let part = some(Part::<AddRemove>::two_thousand_random_rows_added(), 20);
    let options = ["candidates=10", "rounds_per_column=0.5", "most_columns=3"];
    assert_part::<_, Gdp>(&part, &published("auto", &options));
}

#[test]
fn a_row_replaced() {
    let part = || some(Part::<ReplaceOne>::every_row_of_small_tables_replaced(), 20);
    assert_part::<_, Gdp>(&part(), &published("mst", &["merge_below=0.3"]));
    assert_part::<_, Pure>(&part(), &published("smoothed-histogram", &[]));
}
