//! What the questions of a fit cost the engine, beside one scan that counts all pairs.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use scumble::engine::TableScan;
use scumble::schema::{Clique, Domain, Recoding};
use scumble::vault::{CountTable, MarginalSource, Private, SourceError};
use scumble::{ApproxDp, Delta, Epsilon, Method, ReadOptions};
use scumble_benchmarks::Result;
use scumble_benchmarks::clock::cpu_seconds;
use scumble_benchmarks::figure::Figures;
use scumble_engine::exact::ExactCounts;

use crate::cluster::table::Table;

/// Processor seconds of a question, and its number of tables.
type Questions = Arc<Mutex<Vec<(f64, usize)>>>;

/// A source that measures its questions.
struct Timed {
    source: Box<dyn MarginalSource>,
    questions: Questions,
}

impl Timed {
    fn timed<T>(&self, tables: usize, question: impl FnOnce(&dyn MarginalSource) -> T) -> T {
        let begun = cpu_seconds();
        let answer = question(&*self.source);
        self.questions.lock().expect("no panic").push((cpu_seconds() - begun, tables));
        answer
    }
}

impl MarginalSource for Timed {
    fn domain(&self) -> &Domain {
        self.source.domain()
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.source.bound()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.timed(cliques.len(), |source| source.count(cliques))
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.timed(cliques.len(), |source| source.count_recoded(recoding, cliques))
    }
}

/// The processor time that the engine needs for all questions of `auto`, codes included, in
/// multiples of one scan that counts all pairs.
pub(super) fn of_auto(figures: &mut Figures, table: &Table) -> Result<()> {
    let options = ReadOptions { threads: Some(2), ..ReadOptions::default() };
    let scan = || TableScan::open(&table.inputs(), &table.schema, &options);
    let begun = cpu_seconds();
    scan()?.count_tables(&table.pairs())?;
    let one_scan = cpu_seconds() - begun;
    let begun = cpu_seconds();
    let codes = scan()?.code()?;
    let coding = cpu_seconds() - begun;
    let questions = Questions::default();
    let source = Timed { source: Box::new(codes), questions: Arc::clone(&questions) };
    let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-10)? };
    let begun = Instant::now();
    scumble_mechanisms::fit(&table.schema, Box::new(source), &Method::recommended(goal), goal, None)?;
    let wall = begun.elapsed().as_secs_f64();
    let questions = questions.lock().expect("no panic");
    for (seconds, tables) in questions.iter() {
        println!("{tables:6} tables {seconds:8.2} CPU s");
    }
    let asked: f64 = questions.iter().map(|(seconds, _)| seconds).sum();
    println!("scan {one_scan:.1}, codes {coding:.1}, questions {asked:.1} CPU s; the fit took {wall:.1} s");
    figures.shown("one scan of all pairs", one_scan, "CPU s");
    figures.shown("reading the codes for `auto`", coding, "CPU s");
    figures.shown("scans of codes by `auto`", questions.len() as f64, "scans");
    figures.at_most("engine time of `auto` to one scan of all pairs", (coding + asked) / one_scan, "times", 4.0);
    Ok(())
}
