//! The DataFusion session and its threads.

use std::sync::Arc;
use std::time::Duration;

use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::prelude::{SessionConfig, SessionContext};
use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::error::{Damage, EngineError};
use crate::run::spill::SpillDirectory;

/// A cancelled scan stops within this time.
const STOPS_WITHIN: Duration = Duration::from_millis(50);

/// The threads of one table. A separate runtime isolates DataFusion's tasks from the caller's, and
/// keeps async code out of the other crates.
pub(crate) struct Workers(Runtime);

impl Workers {
    pub(crate) fn new(threads: usize) -> Result<Self, EngineError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
        runtime.map(Self).map_err(|error| EngineError::refused("thread pool", &error))
    }

    /// Runs `work` until it ends or is cancelled. A panic comes from a decoder on unexpected bytes,
    /// and becomes an error about `path`.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        path: &str,
        damage: Damage,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        if scumble_cancel::is_cancelled() {
            return Err(EngineError::Stopped);
        }
        let done = self.0.block_on(async {
            let mut task = self.0.spawn(work);
            loop {
                tokio::select! {
                    done = &mut task => return Some(done),
                    () = sleep(STOPS_WITHIN) => if scumble_cancel::is_cancelled() {
                        task.abort();
                        return None;
                    }
                }
            }
        });
        let damaged = |_| EngineError::Engine { path: path.into(), problem: damage };
        done.ok_or(EngineError::Stopped)?.map_err(damaged)
    }
}

/// Memory limit of the operators of a plan, and where they spill.
pub(crate) struct WorkingMemory<'a> {
    pub(crate) bytes: usize,
    /// Only sorting spills.
    pub(crate) sorts_in: Option<&'a SpillDirectory>,
}

/// Creates a DataFusion session with only what scans, encoding and counting need.
///
/// Without a working memory it can inspect files, and plan work for other machines.
pub(crate) fn session(
    partitions: usize,
    memory: Option<&WorkingMemory<'_>>,
    stores: Option<&Arc<dyn ObjectStoreRegistry>>,
) -> Result<SessionContext, EngineError> {
    let mut config = SessionConfig::new().with_target_partitions(partitions).with_collect_statistics(false);
    // Old timestamps are read as nanoseconds, which wrap around outside the years 1677 to 2262.
    config.options_mut().execution.parquet.coerce_int96 = Some("us".into());
    // There is no filter that a page index could serve. A file's index need not agree with its
    // pages, and the guard checks only the pages.
    config.options_mut().execution.parquet.enable_page_index = false;
    // The plan is one projection over one scan, with an aggregate on top. The other rules cannot
    // change it, and some take time quadratic in the number of columns.
    let rules = vec![Arc::new(OptimizeProjections::new()) as Arc<dyn OptimizerRule + Send + Sync>];
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(stores) = stores {
        runtime = runtime.with_object_store_registry(Arc::clone(stores));
    }
    if let Some(memory) = memory {
        let disk = match memory.sorts_in {
            Some(directory) => DiskManagerMode::Directories(vec![directory.path()?.to_owned()]),
            None => DiskManagerMode::Disabled,
        };
        runtime = runtime
            // A fair pool: otherwise one sort can starve another.
            .with_memory_pool(Arc::new(FairSpillPool::new(memory.bytes)))
            .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(disk));
    }
    let runtime = runtime.build_arc().map_err(|_| EngineError::Bug { what: "no runtime for DataFusion" })?;
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_analyzer_rules(vec![])
        .with_optimizer_rules(rules);
    Ok(SessionContext::new_with_state(state.build()))
}

/// Creates a session for plans that are split into `parts` partitions and run on other machines.
pub(crate) fn remote_session(
    parts: usize,
    stores: Option<&Arc<dyn ObjectStoreRegistry>>,
) -> Result<SessionContext, EngineError> {
    let context = session(parts, None, stores)?;
    // On threads, distributing the rows of one file is nearly free. Between machines it would send
    // the codes of every row over the network and write them to disk.
    context.state_ref().write().config_mut().options_mut().optimizer.enable_round_robin_repartition = false;
    Ok(context)
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::thread;

    use scumble_cancel::CancelToken;

    use super::*;

    #[test]
    fn work_that_is_cancelled_is_dropped() {
        struct Dropped(std::sync::mpsc::Sender<()>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                let _ = self.0.send(());
            }
        }
        let workers = Workers::new(1).unwrap();
        let (token, (send, dropped)) = (CancelToken::new(), std::sync::mpsc::channel());
        let guard = Dropped(send);
        thread::scope(|scope| {
            let endless = scope.spawn(|| {
                token.run(|| {
                    workers.run("endless", Damage::Damaged, async move {
                        let _guard = guard;
                        pending::<()>().await;
                    })
                })
            });
            token.cancel();
            assert_eq!(endless.join().unwrap(), Ok(Err(EngineError::Stopped)));
        });
        dropped.recv_timeout(Duration::from_secs(10)).expect("the work was dropped, not left behind");
        assert_eq!(token.run(|| workers.run("none", Damage::Damaged, async {})), Ok(Err(EngineError::Stopped)));
        assert_eq!(workers.run("some", Damage::Damaged, async { 1 }), Ok(1));
    }
}
