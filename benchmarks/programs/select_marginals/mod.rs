//! Writes the files of measured tables that the program `pgm` starts from, by the selections of MST
//! and AIM on real rows.
//!
//! `figures select-marginals` writes them all; names such as `adult-mst` write those only. Noise
//! and selections come from the vault, so no run gives the same file again, and the files are in
//! the repository.
//!
//! `aim` is the method of that name, as in its paper; `mst` leaves out the merging of rare values,
//! so that files hold tables over the domain as it is.

mod mst;
mod rows;

use std::num::NonZeroU32;
use std::path::Path;

use rows::Rows;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::codes::Table;
use scumble_benchmarks::measured::{Measured, NamedSize, NoisyValues};
use scumble_benchmarks::{Result, data};
use scumble_mechanisms::{Method, aim};
use scumble_pgm::total::{self, Evidence};
use scumble_vault::account::zcdp;
use scumble_vault::{AddRemove, ApproxDp, Budget, Delta, Event, NoisyTable, Rho, Vault, Zcdp};

/// What each file may cost.
const RHO: f64 = 0.03;
/// The delta at which that is said as an epsilon; which one does not matter for what is measured.
const DELTA: f64 = 1e-9;

/// Neighbours differ in one row, and costs add up as zero-concentrated differential privacy.
type Vaulted = Vault<AddRemove, Zcdp>;
type Money = Budget<AddRemove, Zcdp>;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let arguments = Arguments::parse(arguments, &Usage { parts: &Measured::KEPT, ..Usage::default() })?;
    let Some(data) = data::find() else { return Ok(()) };
    for name in arguments.parts() {
        let (table, selection) = name.split_once('-').expect("a file is named after a table and a selection");
        let measured = measure(&data.join(table), table, selection)?;
        println!("{name}: {} tables, {:.0} rows", measured.measurements.len(), measured.total);
        measured.write(&Measured::path(name))?;
    }
    Ok(())
}

fn measure(folder: &Path, name: &str, selection: &str) -> Result<Measured> {
    let table = Table::read(folder)?;
    let attributes = table.names.iter().zip(table.domain.sizes());
    let attributes = attributes.map(|(name, &size)| NamedSize { name: name.clone(), size }).collect();
    let domain = table.domain.clone();
    let delta = Delta::new(DELTA)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^96")]
    let rho = Rho::from_quanta((RHO * 96_f64.exp2()) as u128);
    let goal = ApproxDp { epsilon: zcdp::epsilon(rho, delta).ok_or("no epsilon for this rho")?, delta };
    let (mut vault, budget) = Vaulted::open(Box::new(Rows(table)), goal, NonZeroU32::MIN)?;
    match selection {
        "mst" => mst::measure(&mut vault, &domain, budget)?,
        "aim" => drop(Method::Aim(paper_options()).fit_columns(&mut vault, budget)?),
        _ => return Err(format!("there is no selection `{selection}`").into()),
    }
    let released = vault.released_values().to_vec();
    let certificate = vault.close();
    certificate.verify()?;
    let measured = |(event, values): (&Event, Vec<i64>)| {
        let (clique, standard_deviation) = (event.table()?.clone(), event.mechanism().standard_deviation()?);
        Some(NoisyValues { clique, standard_deviation, values })
    };
    let measurements: Vec<NoisyValues> = certificate.events().iter().zip(released).filter_map(measured).collect();
    let total = total(measurements.iter().map(|table| (&*table.values, table.standard_deviation)));
    Ok(Measured {
        table: name.into(),
        selection: selection.into(),
        rho: certificate.total().to_f64(),
        attributes,
        total,
        measurements,
    })
}

/// `aim` as its paper has it, with a model of 80 MB.
fn paper_options() -> aim::Options {
    aim::Options { model_cells: 10_000_000, spread: None, ..aim::Options::default() }
}

/// The number of rows, from the sums of tables, each with the standard deviation of its noise.
fn total<'a>(tables: impl Iterator<Item = (&'a [i64], f64)>) -> f64 {
    let evidence = tables.map(|(values, standard_deviation)| Evidence {
        sum: values.iter().sum::<i64>() as f64,
        variance: values.len() as f64 * standard_deviation.powi(2),
    });
    total::estimate(&evidence.collect::<Vec<_>>())
}

/// The counts of a noisy table as floats.
fn floats(table: &NoisyTable) -> Vec<f64> {
    table.values().iter().map(|&value| value as f64).collect()
}
