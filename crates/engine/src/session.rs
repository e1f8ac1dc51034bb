//! The DataFusion session and its threads.

use std::sync::Arc;

use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::prelude::{SessionConfig, SessionContext};
use tokio::runtime::Runtime;

use crate::error::{Damage, EngineError};
use crate::spill::SpillRoom;

/// The threads of one table. A runtime of its own keeps DataFusion's tasks apart from the caller's, and the rest of Scumble
/// free of async code.
pub(crate) struct Workers(Runtime);

impl Workers {
    pub(crate) fn new(threads: usize) -> Result<Self, EngineError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
        runtime.map(Self).map_err(|error| EngineError::io("thread pool", &error))
    }

    /// Runs `work` to its end. A panic in it is a decoder's, on bytes it did not expect, and becomes an error about `path`.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        path: &str,
        damage: Damage,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        let done = self.0.block_on(self.0.spawn(work));
        done.map_err(|_| EngineError::Engine { path: path.into(), problem: damage })
    }
}

/// What the operators of a plan may hold in memory, and where they put what is beyond.
pub(crate) struct WorkingMemory<'a> {
    pub(crate) bytes: usize,
    /// Only sorting can put anything elsewhere.
    pub(crate) sorts_in: Option<&'a SpillRoom>,
}

/// A DataFusion session with nothing but what scans, encoding and counting need.
///
/// Without a working memory it is good for a look at files only.
pub(crate) fn session(threads: usize, memory: Option<&WorkingMemory<'_>>) -> Result<SessionContext, EngineError> {
    let mut config = SessionConfig::new().with_target_partitions(threads).with_collect_statistics(false);
    // Old timestamps come as nanoseconds, which wrap around outside the years 1677 to 2262.
    config.options_mut().execution.parquet.coerce_int96 = Some("us".into());
    // There is no filter that a page index could serve, and a file's index need not agree with its pages, which are what
    // the guard has looked at.
    config.options_mut().execution.parquet.enable_page_index = false;
    // The plan is one projection over one scan, with an aggregate on top. The other rules could not change it, and some take
    // time quadratic in the number of columns to find that out.
    let rules = vec![Arc::new(OptimizeProjections::new()) as Arc<dyn OptimizerRule + Send + Sync>];
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(memory) = memory {
        let disk = match memory.sorts_in {
            Some(room) => DiskManagerMode::Directories(vec![room.path()?.to_owned()]),
            None => DiskManagerMode::Disabled,
        };
        runtime = runtime
            // Every sort gets its share: with first come, first served, one can starve the other.
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
