//! Figures of the replay battery on the toy mechanism: does it pass without a bug, and is every
//! planted bug caught?
//!
//! It needs the feature `planted-bugs`, which release builds refuse.

use std::num::NonZeroUsize;
use std::time::Instant;

use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::{Bar, Figure, Figures};
use scumble_testing::toy::{Bug, Toy};
use scumble_testing::{Alarm, BatteryAdjacency, Part, Report, Subject};
use scumble_vault::{Accounting, AddRemove, Pure, ReplaceOne, Zcdp};

/// Runs of the clean mechanism, each with a part of the battery.
const CLEAN_RUNS: usize = 20;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    Arguments::parse(arguments, &Usage::default())?;
    let mut figures = Figures::default();
    println!("{:>30} {:>8} {:>9} {:>9} {:>7} {:>8}", "clean", "pairs", "replays", "releases", "alarms", "seconds");
    clean::<AddRemove, Zcdp>("add-remove, zcdp", &mut figures);
    clean::<AddRemove, Pure>("add-remove, pure", &mut figures);
    clean::<ReplaceOne, Zcdp>("replace-one, zcdp", &mut figures);
    clean::<ReplaceOne, Pure>("replace-one, pure", &mut figures);

    let runs = (0..CLEAN_RUNS).map(|first| alarms::<AddRemove, Zcdp>(&Toy::clean(), Some(first)).1.len());
    let alarmed = runs.filter(|&alarms| alarms > 0).count();
    println!("\n{CLEAN_RUNS} clean runs of a reduced battery: {alarmed} with an alarm");
    figures.exactly("toy: reduced clean runs with an alarm, of 20", alarmed as f64, "runs", 0.0);

    println!("\n{:>30} {:>9} {:>9} {:>9}   first caught by", "planted bug", "replays", "zcdp", "pure");
    let mut caught = 0;
    for bug in Bug::ALL {
        let (report, zcdp) = alarms::<AddRemove, Zcdp>(&Toy::with(bug), None);
        let (_, pure) = alarms::<AddRemove, Pure>(&Toy::with(bug), None);
        let first = zcdp.first().map_or("nothing".to_owned(), |alarm| alarm.difference.to_string());
        println!("{:>30} {:>9} {:>9} {:>9}   {first}", bug.to_string(), report.replays, zcdp.len(), pure.len());
        for (accounting, alarms) in [("zcdp", zcdp.len()), ("pure", pure.len())] {
            let name = format!("{bug}, {accounting}: replays with an alarm, of {}", report.replays);
            figures.push(Figure::new(name, alarms as f64, "replays", Bar::Positive));
        }
        caught += u32::from(!zcdp.is_empty() && !pure.is_empty());
    }
    figures.exactly("planted bugs caught, of 9", f64::from(caught), "bugs", Bug::ALL.len() as f64);
    figures.print();
    Ok(())
}

fn clean<A: BatteryAdjacency, M: Accounting>(name: &str, figures: &mut Figures)
where
    Toy: Subject<A, M>,
{
    let started = Instant::now();
    let (report, alarms) = alarms::<A, M>(&Toy::clean(), None);
    let Report { pairs, replays, releases, .. } = report;
    let seconds = started.elapsed().as_secs_f64();
    println!("{name:>30} {pairs:>8} {replays:>9} {releases:>9} {:>7} {seconds:>8.1}", alarms.len());
    figures.shown(&format!("toy, {name}: pairs checked"), pairs as f64, "pairs");
    figures.exactly(&format!("toy, {name}: differences"), alarms.len() as f64, "replays", 0.0);
}

/// All alarms of the battery, or of one pair in sixty of it.
fn alarms<A: BatteryAdjacency, M: Accounting>(
    subject: &impl Subject<A, M>,
    reduced: Option<usize>,
) -> (Report, Vec<Alarm>) {
    let mut report = Report::default();
    let mut alarms = Vec::new();
    for part in A::PARTS {
        let part: Part<A> = match reduced {
            Some(first) => part().thinned(NonZeroUsize::new(60).expect("sixty is not zero"), first),
            None => part(),
        };
        report.pairs += part.pairs().len();
        for replay in part.replays(subject) {
            report.replays += 1;
            match replay {
                Ok(replay) => report.releases += replay.releases,
                Err(alarm) => alarms.push(*alarm),
            }
        }
    }
    (report, alarms)
}
