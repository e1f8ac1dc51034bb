//! A PostgreSQL server on loopback, behind a proxy that counts the bytes it sends.

use scumble::engine::Input;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::{Bar, Figure, Figures};

use super::ROW;
use crate::postgres_server::Server;
use crate::wire::Wire;

const EQUAL: &str = "PostgreSQL: counts of all pairs are those of a scan";
const BYTES: &str = "PostgreSQL: bytes that it sends to count, of those of a scan";

pub(super) fn compare(rows: u64, figures: &mut Figures) -> Result<()> {
    let Some(server) = Server::start() else {
        figures.push(Figure::missing(EQUAL, "tables", Bar::Exactly(1.0)));
        figures.push(Figure::missing(BYTES, "share", Bar::AtMost(0.01)));
        return Ok(());
    };
    server.sql(&format!(
        "CREATE UNLOGGED TABLE people AS SELECT {ROW} FROM generate_series(1, {rows}::bigint) AS t(i); ANALYZE people"
    ));
    let (inside, scan) = (Wire::to(server.port(), 0)?, Wire::to(server.port(), 0)?);
    let through = |wire: &Wire| {
        Input::new(server.url("people").replace(&format!(":{}/", server.port()), &format!(":{}/", wire.port())))
    };
    let compared = super::compare(&through(&inside), &through(&scan))?;
    println!(
        "PostgreSQL, {} rows: inside {:.1} s and {} bytes, scan {:.1} s and {} bytes",
        compared.rows,
        compared.inside,
        inside.bytes(),
        compared.scan,
        scan.bytes()
    );
    figures.exactly(EQUAL, f64::from(u8::from(compared.are_equal)), "tables", 1.0);
    figures.at_most(BYTES, inside.bytes() as f64 / scan.bytes() as f64, "share", 0.01);
    figures.shown("PostgreSQL: seconds to count inside, of those of a scan", compared.inside / compared.scan, "times");
    Ok(())
}
