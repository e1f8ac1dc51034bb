//! The made-up survey beside synthetic surveys of it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use scumble::report::chart::{Pair, PairPanel, Pairs};
use scumble::report::grouped;

use super::demo_table::{Demo, EPSILON};
use scumble_benchmarks::Result;

/// Values, and the sum of a number over the rows that have them with how many these are.
type Sums = BTreeMap<String, (f64, f64)>;

const EDUCATIONS: [&str; 8] =
    ["none", "primary", "lower secondary", "upper secondary", "vocational", "bachelor", "master", "doctorate"];
const DECADES: [&str; 9] = ["0–9", "10–", "20–", "30–", "40–", "50–", "60–", "70–", "80–"];

pub(crate) fn picture(rows: u64, releases: u32) -> Result<String> {
    let demo = Demo::new(rows)?;
    let synthetic = demo.folder.path().join("synthetic.csv");
    let mut drawn = Vec::new();
    for release in 1..=releases {
        scumble::Draw::from(&demo.fit()?).rows(rows).seed(u64::from(release)).write(&synthetic)?;
        drawn.push(Survey::read(&synthetic)?);
        println!("release {release} of {releases}");
    }
    let survey = Survey::read(&demo.real)?;
    let panel = |title: &str, labels: &[&str], of: fn(&Survey) -> &Sums, each: fn(&Survey, (f64, f64)) -> f64| {
        let value = |survey: &Survey, label: &str| each(survey, of(survey).get(label).copied().unwrap_or_default());
        let pair = |label: &&str| {
            let synthetic = drawn.iter().map(|survey| value(survey, label));
            let range = synthetic.clone().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), c| (a.min(c), b.max(c)));
            let heights = [value(&survey, label), synthetic.clone().next().unwrap_or_default()];
            Pair { label: (*label).into(), heights, range }
        };
        PairPanel { title: title.into(), pairs: labels.iter().map(pair).collect() }
    };
    let mean = |_: &Survey, (sum, rows): (f64, f64)| if rows > 0.0 { sum / rows } else { 0.0 };
    let panels = vec![
        panel(
            "age, percent of people",
            &DECADES,
            |survey| &survey.ages,
            |survey, (_, rows)| 100.0 * rows / survey.rows,
        ),
        panel("in work by age, percent", &DECADES, |survey| &survey.in_work, mean),
        panel("mean income by education, 1,000 crowns", &EDUCATIONS, |survey| &survey.incomes, mean),
    ];
    let names = ["real", "synthetic", &format!("the synthetic of {releases} releases")].map(Into::into);
    let title = format!("{} made-up people at epsilon {EPSILON}, real and synthetic", grouped(rows));
    let description = "Three panels of paired columns, real beside synthetic: the shares of ages by decade, the share of people in work \
                       by age, and mean income by education. The pairs are nearly equal but for the smallest groups."
        .into();
    Ok(Pairs { title, description, names, panels }.to_svg())
}

/// What the picture shows of a table.
#[derive(Default)]
struct Survey {
    rows: f64,
    ages: Sums,
    /// Percent in work by age.
    in_work: Sums,
    /// Thousands of crowns by education.
    incomes: Sums,
}

impl Survey {
    fn read(path: &Path) -> Result<Self> {
        let mut survey = Self::default();
        for row in csv::Reader::from_path(path)?.deserialize() {
            let row: HashMap<String, String> = row?;
            let decade = DECADES[(row["age"].parse::<usize>()? / 10).min(DECADES.len() - 1)];
            survey.rows += 1.0;
            add(&mut survey.ages, decade, 0.0);
            add(&mut survey.in_work, decade, if row["occupation"].is_empty() { 0.0 } else { 100.0 });
            if !row["education"].is_empty() && !row["income"].is_empty() {
                add(&mut survey.incomes, &row["education"], row["income"].parse::<f64>()? / 1000.0);
            }
        }
        Ok(survey)
    }
}

fn add(sums: &mut Sums, value: &str, number: f64) {
    let (sum, rows) = sums.entry(value.into()).or_default();
    *sum += number;
    *rows += 1.0;
}
