//! The coordinator's side: submits a plan, polls its job, fetches its rows, and removes everything.
//!
//! Ballista's own client waits for ever, cannot be cancelled, and leaves results on the executors
//! for a while. This client only requests counts, which can be repeated at no cost but time. So a
//! query whose job was lost, with the scheduler or with the executor that held the result, is
//! submitted again, a few times. Noise is never drawn here.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use ballista_core::client::BallistaClient;
use ballista_core::config::{
    BALLISTA_ADAPTIVE_PLANNER_ENABLED, BALLISTA_CLIENT_IO_RETRIES_TIMES, BALLISTA_SHUFFLE_COMPRESSION_CODEC,
};
use ballista_core::error::BallistaError;
use ballista_core::extension::BallistaConfigGrpcEndpoint;
use ballista_core::ids::new_instance_id;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    CancelJobParams, CleanJobDataParams, ExecuteQueryParams, GetJobStatusParams, KeyValuePair, PartitionLocation,
    RemoveSessionParams, execute_query_result, job_status,
};
use ballista_core::version::insert_version_header;
use datafusion::arrow::array::RecordBatch;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::TryStreamExt;
use scumble_engine::remote::SHARE_CELLS;
use scumble_engine::{ClusterProblem, EngineError, KeptRows, Remote};
use tokio::time::{sleep, timeout};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::MESSAGE_BYTES;
use crate::address::Address;
use crate::codec::Codec;
use crate::executor::session_config;
use crate::guarded::NO_EXECUTOR;
use crate::kept::KeptJob;
use crate::sealed::problem_in;
use crate::tls::Security;

/// Interval between polls of a job: short at first, because most queries finish soon.
const FIRST_POLL_INTERVAL: Duration = Duration::from_millis(10);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Time limit for a response of the scheduler. The first includes reading the plan.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);
/// How long to try to reconnect to a scheduler that stopped responding.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum attempts for a query whose job is lost.
const MAX_ATTEMPTS: usize = 3;
/// Time limit for fetching a result.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of a partition: counted in about a second, so it is cheap to repeat and outweighs its
/// overhead.
const PART_BYTES: u64 = 32 << 20;
/// Minimum partitions of small files, so that several executors have work.
const MIN_PARTS: u64 = 8;
/// One executor reads and adds the counts of all partitions, or a share of them: this number of
/// bytes takes about ten seconds.
const SUM_BYTES: u64 = 4 << 30;
/// More partitions are not faster.
const MAX_PARTS: u64 = 4096;

/// How to use a cluster.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// How the cluster is authenticated.
    pub security: Security,
    /// Time limit for one query.
    pub patience: Duration,
    /// Approximate bytes of a partition. After the loss of an executor, counting is repeated
    /// partition by partition, and every partition has counts of its own to be added.
    pub part_bytes: u64,
}

impl ClusterOptions {
    /// Partitions of 32 MiB, and an hour for each query.
    pub fn new(security: Security) -> Self {
        Self { security, patience: Duration::from_hours(1), part_bytes: PART_BYTES }
    }
}

/// A cluster that counts for the engine.
#[derive(Clone)]
pub struct Cluster {
    address: Address,
    options: ClusterOptions,
    /// Whether it has ever responded. Before that, a server that does not respond is assumed not to
    /// be the scheduler.
    has_responded: Arc<AtomicBool>,
}

/// Why an attempt failed, and whether to retry.
#[derive(Debug, Clone, Copy)]
enum AttemptError {
    /// The job or its result is lost.
    Lost,
    /// The scheduler does not respond.
    NoResponse,
    Final(ClusterProblem),
}

/// Where the rows of a plan go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    /// To this process.
    Here,
    /// They stay on the executors that computed them.
    Executors,
}

/// The rows of a plan.
enum Results {
    Fetched(Vec<RecordBatch>),
    Kept(Job, Vec<PartitionLocation>),
}

type Scheduler = SchedulerGrpcClient<Channel>;

impl Cluster {
    /// Creates a client of the scheduler at `address`. Nothing is sent yet.
    pub fn new(address: Address, options: ClusterOptions) -> Self {
        Self { address, options, has_responded: Arc::default() }
    }

    pub(crate) fn fail(&self, problem: ClusterProblem) -> EngineError {
        EngineError::Cluster { address: self.address.to_string(), problem }
    }

    async fn connect(&self) -> Result<Scheduler, ClusterProblem> {
        let unreachable = ClusterProblem::Unreachable;
        let endpoint = self.options.security.endpoint(&self.address.url()).map_err(|_| unreachable)?;
        let channel =
            timeout(RESPONSE_TIMEOUT, endpoint.connect()).await.map_err(|_| unreachable)?.map_err(|_| unreachable)?;
        let max_bytes = MESSAGE_BYTES as usize;
        Ok(SchedulerGrpcClient::new(channel).max_decoding_message_size(max_bytes).max_encoding_message_size(max_bytes))
    }

    /// Connects again after a connection was lost: the scheduler may be restarting.
    async fn connect_again(&self) -> Result<Scheduler, ClusterProblem> {
        let begun = Instant::now();
        loop {
            match self.connect().await {
                Ok(scheduler) => return Ok(scheduler),
                Err(_) if begun.elapsed() < RECONNECT_TIMEOUT => sleep(Duration::from_secs(1)).await,
                Err(_) => return Err(ClusterProblem::Lost),
            }
        }
    }

    /// Returns all rows of a plan, in order of its partitions.
    pub(crate) async fn rows(
        &self,
        plan: &Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> Result<Vec<RecordBatch>, EngineError> {
        match self.results(plan, config, Destination::Here).await? {
            Results::Fetched(rows) => Ok(rows),
            Results::Kept(..) => Err(EngineError::Bug { what: "rows were kept" }),
        }
    }

    /// Runs a plan, whose rows go to `destination`.
    async fn results(
        &self,
        plan: &Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
        destination: Destination,
    ) -> Result<Results, EngineError> {
        let codec = Codec::default();
        let mut bytes = vec![];
        PhysicalPlanNode::try_from_physical_plan(Arc::clone(plan), &codec)
            .and_then(|node| node.try_encode(&mut bytes))
            .map_err(|_| EngineError::Bug { what: "a plan that cannot be sent" })?;
        let (query, settings) = (Query::PhysicalPlan(bytes), settings(config));
        match timeout(self.options.patience, self.run(&query, &settings, destination)).await {
            Ok(results) => results.map_err(|problem| self.fail(problem)),
            Err(_) => Err(self.fail(ClusterProblem::Silent)),
        }
    }

    /// Submits the query until it succeeds, or retrying is pointless.
    async fn run(
        &self,
        query: &Query,
        settings: &[KeyValuePair],
        destination: Destination,
    ) -> Result<Results, ClusterProblem> {
        let is_known = || self.has_responded.load(Ordering::Relaxed);
        let mut scheduler = if is_known() { self.connect_again().await? } else { self.connect().await? };
        let mut attempt = 0;
        loop {
            attempt += 1;
            match self.attempt(&mut scheduler, query, settings, destination).await {
                Ok(results) => return Ok(results),
                Err(AttemptError::Final(problem)) => return Err(problem),
                // A server that does not trust us accepts the connection, and closes it at the
                // first request.
                Err(AttemptError::NoResponse) if !is_known() => return Err(ClusterProblem::Unreachable),
                Err(error) if attempt >= MAX_ATTEMPTS => return Err(error.problem()),
                Err(AttemptError::Lost) => sleep(Duration::from_millis(500)).await,
                Err(AttemptError::NoResponse) => scheduler = self.connect_again().await?,
            }
        }
    }

    async fn attempt(
        &self,
        scheduler: &mut Scheduler,
        query: &Query,
        settings: &[KeyValuePair],
        destination: Destination,
    ) -> Result<Results, AttemptError> {
        let begun = Instant::now();
        let mut job = loop {
            match self.submit(scheduler, query, settings).await {
                // Executors were there before, and return like a restarting scheduler.
                Err(AttemptError::Final(ClusterProblem::NoExecutor))
                    if self.has_responded.load(Ordering::Relaxed) && begun.elapsed() < RECONNECT_TIMEOUT =>
                {
                    sleep(Duration::from_secs(1)).await;
                }
                submitted => break submitted?,
            }
        };
        self.has_responded.store(true, Ordering::Relaxed);
        let places = wait_for(scheduler, &job.id).await?;
        if destination == Destination::Executors {
            return Ok(Results::Kept(job, places));
        }
        let mut rows = vec![];
        for place in places {
            rows.extend(timeout(FETCH_TIMEOUT, self.fetch(place)).await.map_err(|_| AttemptError::Lost)??);
        }
        job.finish(scheduler).await;
        Ok(Results::Fetched(rows))
    }

    /// Submits a plan. The returned job is cancelled on drop, whatever happens.
    async fn submit(
        &self,
        scheduler: &mut Scheduler,
        query: &Query,
        settings: &[KeyValuePair],
    ) -> Result<Job, AttemptError> {
        let session_id = new_instance_id();
        let mut request = Request::new(ExecuteQueryParams {
            session_id: session_id.clone(),
            settings: settings.to_vec(),
            operation_id: session_id.clone(),
            query: Some(query.clone()),
        });
        insert_version_header(request.metadata_mut());
        let response =
            timeout(RESPONSE_TIMEOUT, scheduler.execute_query(request)).await.map_err(|_| AttemptError::NoResponse)?;
        match response.map_err(|status| AttemptError::of_status(&status))?.into_inner().result {
            Some(execute_query_result::Result::Success(accepted)) => {
                Ok(Job::started(self, accepted.job_id, session_id))
            }
            // A plan that cannot be read was written by another version, or names other files.
            Some(execute_query_result::Result::Failure(_)) | None => Err(AttemptError::Final(ClusterProblem::Version)),
        }
    }

    /// Fetches the rows of one partition of a result, from the executor that has them.
    async fn fetch(&self, place: PartitionLocation) -> Result<Vec<RecordBatch>, AttemptError> {
        let layout = place.layout();
        let (Some(executor), Some(partition)) = (place.executor_meta, place.partition_id) else {
            return Err(AttemptError::Final(ClusterProblem::Version));
        };
        let port = u16::try_from(executor.port).map_err(|_| AttemptError::Final(ClusterProblem::Version))?;
        let endpoints = Arc::new(BallistaConfigGrpcEndpoint::new(self.options.security.of_ballista()));
        let max_bytes = MESSAGE_BYTES as usize;
        let client = BallistaClient::try_new(&executor.host, port, max_bytes, false, Some(endpoints), 1, 500, 0, 0);
        let mut client = client.await.map_err(|_| AttemptError::Lost)?;
        let partition = partition.into();
        // The file unchanged: streamed as batches, it would be compressed.
        let is_streamed = false;
        let rows = client.fetch_partition(&executor.id, &partition, place.file_id, layout, is_streamed).await;
        let rows = rows.map_err(|_| AttemptError::Lost)?;
        rows.try_collect().await.map_err(|_| AttemptError::Lost)
    }
}

/// Waits until the job is done, and returns the locations of its rows.
async fn wait_for(scheduler: &mut Scheduler, job_id: &str) -> Result<Vec<PartitionLocation>, AttemptError> {
    let mut pause = FIRST_POLL_INTERVAL;
    loop {
        let request = GetJobStatusParams { job_id: job_id.to_owned() };
        let response =
            timeout(RESPONSE_TIMEOUT, scheduler.get_job_status(request)).await.map_err(|_| AttemptError::NoResponse)?;
        let status = response.map_err(|status| AttemptError::of_status(&status))?.into_inner().status;
        match status.and_then(|status| status.status) {
            Some(job_status::Status::Queued(_) | job_status::Status::Running(_)) => {}
            Some(job_status::Status::Successful(done)) => return Ok(done.partition_location),
            Some(job_status::Status::Failed(failed)) => return Err(AttemptError::Final(problem_in(&failed.error))),
            // A restarted scheduler does not know earlier jobs.
            None => return Err(AttemptError::Lost),
        }
        sleep(pause).await;
        pause = (pause * 2).min(MAX_POLL_INTERVAL);
    }
}

impl AttemptError {
    fn of_status(status: &Status) -> Self {
        match status.code() {
            Code::ResourceExhausted if status.message() == NO_EXECUTOR => Self::Final(ClusterProblem::NoExecutor),
            Code::FailedPrecondition | Code::Unimplemented => Self::Final(ClusterProblem::Version),
            Code::Internal => Self::Lost,
            _ => Self::NoResponse,
        }
    }

    fn problem(self) -> ClusterProblem {
        match self {
            Self::Lost | Self::NoResponse => ClusterProblem::Lost,
            Self::Final(problem) => problem,
        }
    }
}

/// A job on the cluster. Dropped before it is [finished](Job::finish), it is cancelled and its rows
/// are removed.
pub(crate) struct Job {
    id: String,
    session_id: String,
}

/// The jobs of this process, to end them if the program exits without dropping.
static JOBS: Mutex<Vec<(Cluster, String)>> = Mutex::new(vec![]);

/// Cancels all jobs of this process and removes their rows, as far as their clusters respond within
/// a second. For a program that is about to exit without dropping its work, such as after an
/// interrupt.
pub fn cancel_jobs() {
    cancel(std::mem::take(&mut JOBS.lock().unwrap_or_else(PoisonError::into_inner)));
}

fn cancel(jobs: Vec<(Cluster, String)>) {
    let work = async {
        for (cluster, job_id) in jobs {
            if let Ok(mut scheduler) = cluster.connect().await {
                let _ = scheduler.cancel_job(CancelJobParams { job_id: job_id.clone() }).await;
                // A job that is done can no longer be cancelled, but its rows may have been kept.
                let _ = scheduler.clean_job_data(CleanJobDataParams { job_id, remove_stage_ids: vec![] }).await;
            }
        }
    };
    // The caller may be about to end its runtime, so this uses one of its own.
    thread::scope(|scope| {
        scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let _ = runtime.map(|runtime| runtime.block_on(async { timeout(Duration::from_secs(1), work).await }));
        });
    });
}

impl Job {
    fn started(cluster: &Cluster, id: String, session_id: String) -> Self {
        JOBS.lock().unwrap_or_else(PoisonError::into_inner).push((cluster.clone(), id.clone()));
        Self { id, session_id }
    }

    /// Removes the job from the list of jobs to cancel.
    fn forget(&self) -> Option<(Cluster, String)> {
        let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
        let place = jobs.iter().position(|(_, id)| *id == self.id)?;
        Some(jobs.swap_remove(place))
    }

    /// Removes the job's files, which are no longer needed.
    async fn finish(&mut self, scheduler: &mut Scheduler) {
        self.forget();
        // Otherwise the scheduler would remove them later.
        let clean = CleanJobDataParams { job_id: self.id.clone(), remove_stage_ids: vec![] };
        let _ = timeout(RESPONSE_TIMEOUT, scheduler.clean_job_data(clean)).await;
        let session_id = self.session_id.clone();
        let _ = timeout(RESPONSE_TIMEOUT, scheduler.remove_session(RemoveSessionParams { session_id })).await;
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(job) = self.forget() {
            cancel(vec![job]);
        }
    }
}

/// Returns the configuration under which executors run a plan.
fn settings(config: &SessionConfig) -> Vec<KeyValuePair> {
    let ours = session_config();
    let mut settings: HashMap<String, Option<String>> = HashMap::new();
    for options in [ours.options(), config.options()] {
        settings.extend(options.entries().into_iter().map(|entry| (entry.key, entry.value)));
    }
    // The plan is final. Replanning after every stage complicates recovery from failures.
    settings.insert(BALLISTA_ADAPTIVE_PLANNER_ENABLED.into(), Some("false".into()));
    // Uncompressed, so that the size on the wire does not depend on the counts.
    settings.insert(BALLISTA_SHUFFLE_COMPRESSION_CODEC.into(), Some("none".into()));
    settings.insert(BALLISTA_CLIENT_IO_RETRIES_TIMES.into(), Some("1".into()));
    let mut settings: Vec<_> = settings.into_iter().map(|(key, value)| KeyValuePair { key, value }).collect();
    settings.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    settings
}

#[async_trait]
impl Remote for Cluster {
    fn parts(&self, bytes: u64, cells: usize) -> usize {
        let by_sum = SUM_BYTES / (8 * cells.clamp(1, SHARE_CELLS) as u64);
        let parts = (bytes / self.options.part_bytes.max(1)).min(by_sum).clamp(MIN_PARTS, MAX_PARTS);
        usize::try_from(parts).expect("a few thousand parts")
    }

    async fn collect(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> Result<Vec<RecordBatch>, EngineError> {
        self.rows(&plan, config).await
    }

    async fn keep(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> Result<Arc<dyn KeptRows>, EngineError> {
        let Results::Kept(job, places) = self.results(&plan, config, Destination::Executors).await? else {
            return Err(EngineError::Bug { what: "rows were not kept" });
        };
        let places = places.into_iter().map(TryInto::try_into).collect::<Result<Vec<_>, BallistaError>>();
        let places = places.map_err(|_| self.fail(ClusterProblem::Version))?;
        Ok(Arc::new(KeptJob::new(places, plan.schema(), job)))
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Cluster({}, {:?})", self.address, self.options.security)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_few_enough_to_add_and_small_enough_to_repeat() {
        let cluster = Cluster::new("ballista://a:1".parse().unwrap(), ClusterOptions::new(Security::None));
        assert_eq!(cluster.parts(0, 10), 8);
        assert_eq!(cluster.parts(64 << 30, 10_000), 2_048);
        assert_eq!(cluster.parts(1 << 50, 10_000), 4_096);
        assert_eq!(cluster.parts(1 << 50, 200_000), 2_684);
        assert_eq!(cluster.parts(1 << 50, 2 << 20), 2_048);
        assert_eq!(cluster.parts(1 << 50, usize::MAX >> 4), 2_048);
    }
}
