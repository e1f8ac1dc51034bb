//! Tests of the pages of small models.

use scumble_mechanisms::{Method, Model, fit};
use scumble_schema::{Assumption, Clique, Domain, Schema, cells};
use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};

use super::public_page;
use super::relations::{Relation, Relations};
use crate::chart::to_f64;
use crate::counts_of::CountsOf;
use crate::noisy_table::noisy_tables;

/// A source of rows of codes.
struct CodedRows {
    domain: Domain,
    rows: Vec<Vec<u32>>,
}

impl MarginalSource for CodedRows {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let table = |clique: &Clique| {
            let cells = usize::try_from(self.domain.cells(clique)).unwrap();
            let mut counts = vec![0; cells];
            for row in &self.rows {
                let places = clique.attributes().iter().zip(cells::strides(&self.domain, clique));
                counts[places.map(|(column, stride)| row[column.index()] as usize * stride).sum::<usize>()] += 1;
            }
            CountTable::new(clique.clone(), counts)
        };
        Ok(Private::new(cliques.iter().map(table).collect()))
    }
}

const SCHEMA: &str = "
title: Ages <& ages>
fields:
  - {name: \"<b>age</b>\", type: integer, constraints: {minimum: 0, maximum: 99}, dp: {source: public}}
  - {name: sex, type: string, constraints: {enum: [f, m], required: true}, dp: {source: public}}
  - {name: height, type: number, constraints: {minimum: 0, maximum: 2, required: true}, dp: {bins: {count: 3}}}
  - {name: works, type: boolean, constraints: {required: true}}
";

/// A schema of few columns with few codes.
const FEW: &str = "
fields:
  - {name: height, type: number, constraints: {minimum: 0, maximum: 2, required: true}, dp: {bins: {count: 3}}}
  - {name: works, type: boolean, constraints: {required: true}}
";

/// Returns rows whose columns follow from one number, so that methods find relations.
fn rows_of(sizes: &[u32]) -> Vec<Vec<u32>> {
    // Squares, so that low codes are more frequent.
    let code = |row: u32, size: u32| (row * 7 % 97).pow(2) * size / 97_u32.pow(2);
    (0..2_000).map(|row| sizes.iter().map(|&size| code(row, size)).collect()).collect()
}

fn fitted(schema: &str, method: &Method, epsilon: f64) -> Model {
    let schema = Schema::parse(schema).unwrap();
    let rows = CodedRows { domain: schema.domain().clone(), rows: rows_of(schema.domain().sizes()) };
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(1e-9).unwrap() };
    fit(&schema, Box::new(rows), method, goal, None).unwrap()
}

fn model(schema: &str, method: &str) -> Model {
    fitted(schema, &Method::named(method).unwrap(), 1.0)
}

#[test]
fn names_and_titles_are_escaped_everywhere() {
    let page = public_page(&model(SCHEMA, "independent"), None);
    assert!(!page.contains("<b>age</b>") && page.contains("&lt;b&gt;age&lt;/b&gt;"));
    assert!(page.contains("<title>Synthetic data: Ages &lt;&amp; ages&gt;</title>"));
    let page = public_page(&model(SCHEMA, "independent"), Some("People & ages"));
    assert!(page.contains("<title>Synthetic data: People &amp; ages</title>"));
}

#[test]
fn the_epsilon_of_the_goal_is_shown_and_not_sixteen_digits() {
    let model = fitted(FEW, &Method::named("mst").unwrap(), 0.7);
    let certificate = model.certificate().unwrap();
    assert!(certificate.epsilon().get() <= 0.7);
    assert!((crate::shown_epsilon(certificate) - 0.7).abs() < f64::EPSILON, "{:?}", certificate.epsilon());
    let page = public_page(&model, None);
    assert!(page.contains("(0.7, 1e-9)-differential") && !page.contains("0.69999"), "{page}");
}

#[test]
fn the_first_screen_comes_before_any_technical_figure() {
    let page = public_page(&model(SCHEMA, "independent"), None);
    let (before, _) = page.split_once("<section id=\"figures\"").expect("figures follow");
    let first = before.split_once("<section id=\"glance\"").expect("the first section").1;
    for word in ["For whom", "Good for", "Not for", "How exact", "How people are protected"] {
        assert!(first.contains(word), "{word}");
    }
    assert!(!first.contains("epsilon") && !first.contains("1e-9"), "{first}");
}

#[test]
fn the_same_model_gives_the_same_page() {
    let model = model(SCHEMA, "mst");
    assert_eq!(public_page(&model, None), public_page(&Model::from_bytes(&model.to_bytes()).unwrap(), None));
}

#[test]
fn assumed_bounds_are_not_called_public() {
    let page = public_page(&model(SCHEMA, "independent"), None);
    assert!(page.contains("which nobody has confirmed: height."), "{page}");
}

#[test]
fn a_page_says_that_a_domain_was_read_off_the_data() {
    let statement = Assumption::DomainFromData.statement();
    let schema = FEW.replacen("dp: {bins", "dp: {source: data, bins", 1);
    assert_ne!(schema, FEW);
    let page = public_page(&model(&schema, "independent"), None);
    // With the guarantee, and once more with the certificate.
    assert!(page.matches(statement).count() >= 2, "{page}");
    assert!(page.contains("read off the data, not covered by the guarantee"), "{page}");
    assert!(!page.contains("known without looking at the data is the word"), "{page}");
    assert!(!public_page(&model(FEW, "independent"), None).contains(statement));
}

#[test]
fn rules_and_generated_columns_are_listed() {
    let schema = format!(
        "dp: {{rules: [{{forbid: {{height: {{from: 0, below: 2}}, works: true}}}}]}}{FEW}  - {{name: id, type: integer, dp: {{generate: {{sequence: {{from: 1}}}}}}}}\n"
    );
    let page = public_page(&model(&schema, "mst"), None);
    assert!(page.contains("hold in every synthetic row") && page.contains("<li>forbid height, works</li>"));
    assert!(page.contains("made up, row numbers from 1"));
    assert!(!public_page(&model(FEW, "mst"), None).contains("hold in every synthetic row"));
}

#[test]
fn relations_follow_from_the_tables() {
    let independent = model(SCHEMA, "independent");
    let relations = Relations::new(&independent, &noisy_tables(&independent));
    assert_eq!(relations.between(0, 1), Relation::Independent);

    let tree = model(SCHEMA, "mst");
    let tables = noisy_tables(&tree);
    let relations = Relations::new(&tree, &tables);
    let pairs = |relation| {
        (0..4)
            .flat_map(|row| (0..row).map(move |column| (row, column)))
            .filter(|&(row, column)| relations.between(row, column) == relation)
            .count()
    };
    // A tree over four columns has three pairs, and ties all others. Rare ages may be merged.
    assert_eq!(pairs(Relation::Measured) + pairs(Relation::InPart), 3);
    assert_eq!(pairs(Relation::Through), 3);
}

#[test]
fn ranges_contain_the_real_counts() {
    // Columns without a table of their own are summed over the others, and binary digits are
    // joined: three of them with up to two parents each are all in one table.
    let digits = Method::named("pb-pgm").unwrap().with_options(["encoding=binary", "degree=2"]).unwrap();
    let fits = [(SCHEMA, Method::INDEPENDENT), (SCHEMA, Method::named("mst").unwrap()), (FEW, digits)];
    for (schema, method) in fits {
        let model = fitted(schema, &method, 50.0);
        let tables = noisy_tables(&model);
        let mut checked = 0;
        for column in model.schema().domain().attributes() {
            let Some(counts) = CountsOf::column(&model, &tables, column) else { continue };
            assert!(counts.error_of(4) >= counts.error_of(1) && counts.error_of(1) < 50.0);
            let size = model.schema().domain().size(column);
            for code in 0..size {
                let real = to_f64(rows_of(&[size]).into_iter().filter(|row| row[0] == code).count());
                let (least, most) = counts.range(&[code]);
                // Noise exceeds eight times its 95 % error less than once in 10^10 counts.
                let room = 7.0 * counts.error_of(1);
                assert!(
                    least - room <= real && real <= most + room,
                    "{real} is not in {least} to {most} with {method}"
                );
                checked += 1;
            }
        }
        assert_eq!(checked, model.schema().domain().sizes().iter().sum::<u32>(), "{method}");
    }
}

#[test]
fn a_heap_is_found_where_counts_show_one_and_nowhere_else() {
    let schema = Schema::parse(
        "fields: [{name: hours, type: integer, constraints: {minimum: 0, maximum: 79, required: true}, dp: {bins: {width: 8}}}]",
    )
    .unwrap();
    let model = |heap: usize| {
        // A hundred rows in each bin, and more in that of 40 to 47.
        let mut rows: Vec<Vec<u32>> = (0..10).flat_map(|code| std::iter::repeat_n(vec![code], 100)).collect();
        rows.extend(std::iter::repeat_n(vec![5], heap));
        let rows = CodedRows { domain: schema.domain().clone(), rows };
        let goal = ApproxDp { epsilon: Epsilon::new(9.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
        fit(&schema, Box::new(rows), &Method::INDEPENDENT, goal, None).unwrap()
    };
    let heaps = super::heaps(&model(2_000));
    assert_eq!(heaps.len(), 1, "{heaps:?}");
    assert!(heaps[0].to_string().contains("`points: [40]`"), "{}", heaps[0]);
    assert_eq!(super::heaps(&model(0)), []);
}
