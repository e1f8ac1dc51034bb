//! A fit of a table in a bucket: what is read of it, with and without a fault.

use std::time::Instant;

use scumble::Input;

use super::faults::{End, Fit};
use super::objects::{Bucket, PEOPLE};
use super::servers::Servers;
use super::table::Table;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

const EXECUTORS: u16 = 4;

/// The fit of `auto` on this machine, with the same noise by four executors that read a bucket, and
/// again with one of them killed on the way.
pub(crate) fn fits(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(10)?;
    let size = table.bytes()? as f64;
    let bucket = Bucket::of(&table)?;
    let fit = Fit::recorded("auto", table, vec![Input::new(PEOPLE)])?;
    let mut servers = Servers::on_loopback(EXECUTORS, 1)?;

    let (begun, before) = (Instant::now(), bucket.bytes());
    let end = fit.again(&servers.read_options()?);
    let (taken, read) = (begun.elapsed(), (bucket.bytes() - before) as f64 / size);
    println!("undisturbed: {end:?} after {:.1} s, {read:.2} times the table read", taken.as_secs_f64());
    let of_same = |end| f64::from(u8::from(end == End::Same));
    figures.exactly("`auto` by 4 executors from a bucket: the model of this machine", of_same(end), "models", 1.0);
    figures.at_most("read of the bucket, to the table once", read, "times", 1.2);

    // While codes are made, between questions, and while the model is fitted.
    for share in [0.1, 0.25, 0.5] {
        let before = bucket.bytes();
        let killed = fit.under(&mut servers, taken.mul_f64(share), |servers| {
            servers.executors[0].1 = None;
            Ok(())
        })?;
        let (end, after) = killed.ok_or("the fit was done before an executor was killed")?;
        let read = (bucket.bytes() - before) as f64 / size;
        println!(
            "one killed after {share}: {end:?} {:.1} s later, {read:.2} times the table read",
            after.as_secs_f64()
        );
        let when = format!("one of 4 executors killed after {share} of the time");
        figures.exactly(&format!("{when}: the model of this machine"), of_same(end), "models", 1.0);
        figures.at_most(&format!("{when}: read of the bucket, to the table once"), read, "times", 1.2);
        servers.start_executor(0)?;
        servers.wait()?;
    }
    Ok(())
}
