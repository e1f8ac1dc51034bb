//! Who is refused.

use std::sync::Arc;

use scumble::cluster::Security;
use scumble::engine::TableScan;
use scumble::schema::Clique;
use scumble::{ReadOptions, Schema};
use scumble_engine::exact::ExactCounts;

use super::servers::{Certificates, Servers};
use super::table::Table;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

/// Clients without a certificate, and with one of another authority; and the one that is let in.
pub(crate) fn refusals(figures: &mut Figures) -> Result<()> {
    let servers = Servers::on_loopback(1, 1)?;
    let table = Table::of_millions(5)?;
    let is_let_in = |security: Security, schema: &Schema| -> Result<bool> {
        let options = ReadOptions { remote: Some(Arc::new(servers.cluster_as(security)?)), ..ReadOptions::default() };
        let counted = TableScan::open(&table.inputs(), schema, &options)?.count_tables(&[Clique::empty()]);
        println!("{}", counted.as_ref().map_or_else(ToString::to_string, |_| "let in".into()));
        Ok(counted.is_ok())
    };
    let others = Certificates::new()?;
    let strangers = [Security::None, Security::read(&others.client())?, Security::read(&others.server())?];
    let mut refused = 0;
    for stranger in strangers {
        refused += u8::from(!is_let_in(stranger, &table.schema)?);
    }
    figures.exactly("strangers refused: no certificate, and two of another authority", f64::from(refused), "of 3", 3.0);
    let own = is_let_in(Security::read(&servers.certificates.client())?, &table.schema)?;
    figures.exactly("with a certificate of the authority let in", f64::from(u8::from(own)), "of 1", 1.0);
    Ok(())
}
