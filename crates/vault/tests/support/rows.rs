//! A source that counts rows held in memory, for tests.
#![allow(missing_docs, unreachable_pub, dead_code, reason = "each user of this file needs a part of it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use scumble_schema::{Clique, Domain, cells};
use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};

/// Rows of codes, and the number of calls of `count`.
pub struct Rows {
    domain: Domain,
    codes: Vec<Vec<u32>>,
    pub calls: Arc<AtomicUsize>,
}

impl Rows {
    pub fn new(sizes: &[u32], rows: Vec<Vec<u32>>) -> Self {
        Self { domain: Domain::new(sizes.to_vec()).unwrap(), codes: rows, calls: Arc::default() }
    }
}

impl MarginalSource for Rows {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let count = |clique: &Clique| {
            let strides = cells::strides(&self.domain, clique);
            let mut counts = vec![0; self.domain.table_len(clique).unwrap()];
            for row in &self.codes {
                let codes = clique.attributes().iter().map(|attribute| row[attribute.index()] as usize);
                counts[codes.zip(&strides).map(|(code, stride)| code * stride).sum::<usize>()] += 1;
            }
            CountTable::new(clique.clone(), counts)
        };
        Ok(Private::new(cliques.iter().map(count).collect()))
    }
}

pub fn goal(epsilon: f64, delta: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
}
