//! The coordinator's side: hands a plan in, asks after it, fetches its rows, and has everything removed.
//!
//! Ballista's own client waits for ever, cannot be told to stop, and leaves results on the executors for a while. This one knows
//! what it asks for: a count, which may be asked for again at no cost but time. So a question whose job was lost, with the
//! scheduler or with the executor that held the result, is asked again, a few times. What never happens here is noise.

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
use scumble_engine::{ClusterProblem, EngineError, Remote};
use tokio::time::{sleep, timeout};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::MESSAGE_BYTES;
use crate::address::Address;
use crate::codec::Codec;
use crate::executor::session_config;
use crate::guarded::NO_EXECUTOR;
use crate::sealed::problem_in;
use crate::tls::Security;

/// How often a job is asked after: at first often, since most questions are answered soon.
const ASK_FIRST: Duration = Duration::from_millis(10);
const ASK_LAST: Duration = Duration::from_millis(250);
/// How long an answer of the scheduler may take. The first includes reading the plan.
const ANSWER: Duration = Duration::from_secs(20);
/// How long a scheduler that stopped answering is looked for again.
const RECONNECT: Duration = Duration::from_secs(30);
/// How often a question is asked that was lost on the way.
const ATTEMPTS: usize = 3;
/// How long the fetching of a result may take.
const FETCH: Duration = Duration::from_secs(30);
/// A part of so many bytes is counted in a second or so: soon enough done again, and worth writing its counts down.
const PART_BYTES: u64 = 32 << 20;
/// Parts of small files, so that a few executors have something to do each.
const LEAST_PARTS: u64 = 8;
/// The counts of all parts are added up by one executor, which reads them all: so many bytes in some ten seconds.
const SUM_BYTES: u64 = 4 << 30;
/// More parts than that are not faster.
const MOST_PARTS: u64 = 4096;

/// How to ask a cluster.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// Who it is taken for.
    pub security: Security,
    /// How long one question may take.
    pub patience: Duration,
    /// Into parts of about how many bytes files are cut: what is lost with an executor is counted again part by part, and every
    /// part has counts of its own to be added up.
    pub part_bytes: u64,
}

impl ClusterOptions {
    /// Parts of 32 MiB, and an hour for each question.
    pub fn new(security: Security) -> Self {
        Self { security, patience: Duration::from_hours(1), part_bytes: PART_BYTES }
    }
}

/// A cluster that counts for the engine.
#[derive(Clone)]
pub struct Cluster {
    address: Address,
    options: ClusterOptions,
    /// Whether it ever answered. Before that, somebody who does not answer is taken for somebody else.
    has_answered: Arc<AtomicBool>,
}

/// Why an attempt failed, and whether another may do better.
#[derive(Debug, Clone, Copy)]
enum Setback {
    /// The job is gone, or its result.
    Lost,
    /// The scheduler does not answer.
    NoAnswer,
    Final(ClusterProblem),
}

type Scheduler = SchedulerGrpcClient<Channel>;

impl Cluster {
    /// The cluster of the scheduler at `address`. Nothing is asked yet.
    pub fn new(address: Address, options: ClusterOptions) -> Self {
        Self { address, options, has_answered: Arc::default() }
    }

    pub(crate) fn fail(&self, problem: ClusterProblem) -> EngineError {
        EngineError::Cluster { address: self.address.to_string(), problem }
    }

    async fn connect(&self) -> Result<Scheduler, ClusterProblem> {
        let unreachable = ClusterProblem::Unreachable;
        let endpoint = self.options.security.endpoint(&self.address.url()).map_err(|_| unreachable)?;
        let channel = timeout(ANSWER, endpoint.connect()).await.map_err(|_| unreachable)?.map_err(|_| unreachable)?;
        let most = MESSAGE_BYTES as usize;
        Ok(SchedulerGrpcClient::new(channel).max_decoding_message_size(most).max_encoding_message_size(most))
    }

    /// The same after a connection was lost: the scheduler may be starting again.
    async fn connect_again(&self) -> Result<Scheduler, ClusterProblem> {
        let begun = Instant::now();
        loop {
            match self.connect().await {
                Ok(scheduler) => return Ok(scheduler),
                Err(_) if begun.elapsed() < RECONNECT => sleep(Duration::from_secs(1)).await,
                Err(_) => return Err(ClusterProblem::Lost),
            }
        }
    }

    /// All rows of a plan, in order of its partitions.
    pub(crate) async fn rows(
        &self,
        plan: &Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> Result<Vec<RecordBatch>, EngineError> {
        let codec = Codec::default();
        let mut bytes = vec![];
        PhysicalPlanNode::try_from_physical_plan(Arc::clone(plan), &codec)
            .and_then(|node| node.try_encode(&mut bytes))
            .map_err(|_| EngineError::Bug { what: "a plan that cannot be sent" })?;
        let (query, settings) = (Query::PhysicalPlan(bytes), settings(config));
        match timeout(self.options.patience, self.ask(&query, &settings)).await {
            Ok(rows) => rows.map_err(|problem| self.fail(problem)),
            Err(_) => Err(self.fail(ClusterProblem::Silent)),
        }
    }

    /// Asks until there is an answer, or no hope.
    async fn ask(&self, query: &Query, settings: &[KeyValuePair]) -> Result<Vec<RecordBatch>, ClusterProblem> {
        let is_known = || self.has_answered.load(Ordering::Relaxed);
        let mut scheduler = if is_known() { self.connect_again().await? } else { self.connect().await? };
        let mut attempt = 0;
        loop {
            attempt += 1;
            match self.attempt(&mut scheduler, query, settings).await {
                Ok(rows) => return Ok(rows),
                Err(Setback::Final(problem)) => return Err(problem),
                // One who does not know us takes our connection, and hangs up when we speak.
                Err(Setback::NoAnswer) if !is_known() => return Err(ClusterProblem::Unreachable),
                Err(setback) if attempt >= ATTEMPTS => return Err(setback.problem()),
                Err(Setback::Lost) => sleep(Duration::from_millis(500)).await,
                Err(Setback::NoAnswer) => scheduler = self.connect_again().await?,
            }
        }
    }

    async fn attempt(
        &self,
        scheduler: &mut Scheduler,
        query: &Query,
        settings: &[KeyValuePair],
    ) -> Result<Vec<RecordBatch>, Setback> {
        let begun = Instant::now();
        let mut job = loop {
            match self.submit(scheduler, query, settings).await {
                // They were there before, and come back as a scheduler does.
                Err(Setback::Final(ClusterProblem::NoExecutor))
                    if self.has_answered.load(Ordering::Relaxed) && begun.elapsed() < RECONNECT =>
                {
                    sleep(Duration::from_secs(1)).await;
                }
                submitted => break submitted?,
            }
        };
        self.has_answered.store(true, Ordering::Relaxed);
        let places = wait_for(scheduler, &job.id).await?;
        let mut rows = vec![];
        for place in places {
            rows.extend(timeout(FETCH, self.fetch(place)).await.map_err(|_| Setback::Lost)??);
        }
        job.finish(scheduler).await;
        Ok(rows)
    }

    /// Hands a plan in. What comes back is a job, which ends with the value whatever happens.
    async fn submit(
        &self,
        scheduler: &mut Scheduler,
        query: &Query,
        settings: &[KeyValuePair],
    ) -> Result<Job, Setback> {
        let session_id = new_instance_id();
        let mut request = Request::new(ExecuteQueryParams {
            session_id: session_id.clone(),
            settings: settings.to_vec(),
            operation_id: session_id.clone(),
            query: Some(query.clone()),
        });
        insert_version_header(request.metadata_mut());
        let answer = timeout(ANSWER, scheduler.execute_query(request)).await.map_err(|_| Setback::NoAnswer)?;
        match answer.map_err(|status| Setback::of_status(&status))?.into_inner().result {
            Some(execute_query_result::Result::Success(accepted)) => Ok(Job::begun(self, accepted.job_id, session_id)),
            // A plan that cannot be read was written by another version, or by somebody with other files.
            Some(execute_query_result::Result::Failure(_)) | None => Err(Setback::Final(ClusterProblem::Version)),
        }
    }

    /// The rows of one partition of a result, from the executor that has them.
    async fn fetch(&self, place: PartitionLocation) -> Result<Vec<RecordBatch>, Setback> {
        let layout = place.layout();
        let (Some(executor), Some(partition)) = (place.executor_meta, place.partition_id) else {
            return Err(Setback::Final(ClusterProblem::Version));
        };
        let port = u16::try_from(executor.port).map_err(|_| Setback::Final(ClusterProblem::Version))?;
        let endpoints = Arc::new(BallistaConfigGrpcEndpoint::new(self.options.security.of_ballista()));
        let most = MESSAGE_BYTES as usize;
        let client = BallistaClient::try_new(&executor.host, port, most, false, Some(endpoints), 1, 500, 0, 0);
        let mut client = client.await.map_err(|_| Setback::Lost)?;
        let partition = partition.into();
        // Its file as it is: streamed as batches, it would be packed on the way.
        let is_streamed = false;
        let rows = client.fetch_partition(&executor.id, &partition, place.file_id, layout, is_streamed).await;
        let rows = rows.map_err(|_| Setback::Lost)?;
        rows.try_collect().await.map_err(|_| Setback::Lost)
    }
}

/// Waits until the job is done, and says where its rows are.
async fn wait_for(scheduler: &mut Scheduler, job_id: &str) -> Result<Vec<PartitionLocation>, Setback> {
    let mut pause = ASK_FIRST;
    loop {
        let question = GetJobStatusParams { job_id: job_id.to_owned() };
        let answer = timeout(ANSWER, scheduler.get_job_status(question)).await.map_err(|_| Setback::NoAnswer)?;
        let status = answer.map_err(|status| Setback::of_status(&status))?.into_inner().status;
        match status.and_then(|status| status.status) {
            Some(job_status::Status::Queued(_) | job_status::Status::Running(_)) => {}
            Some(job_status::Status::Successful(done)) => return Ok(done.partition_location),
            Some(job_status::Status::Failed(failed)) => return Err(Setback::Final(problem_in(&failed.error))),
            // A scheduler that started again knows nothing of the jobs before.
            None => return Err(Setback::Lost),
        }
        sleep(pause).await;
        pause = (pause * 2).min(ASK_LAST);
    }
}

impl Setback {
    fn of_status(status: &Status) -> Self {
        match status.code() {
            Code::ResourceExhausted if status.message() == NO_EXECUTOR => Self::Final(ClusterProblem::NoExecutor),
            Code::FailedPrecondition | Code::Unimplemented => Self::Final(ClusterProblem::Version),
            Code::Internal => Self::Lost,
            _ => Self::NoAnswer,
        }
    }

    fn problem(self) -> ClusterProblem {
        match self {
            Self::Lost | Self::NoAnswer => ClusterProblem::Lost,
            Self::Final(problem) => problem,
        }
    }
}

/// A job on the cluster. One that is dropped before it is finished is cancelled.
struct Job {
    id: String,
    session_id: String,
}

/// The jobs of this process, for an end that drops nothing.
static JOBS: Mutex<Vec<(Cluster, String)>> = Mutex::new(vec![]);

/// Cancels what this process has asked of clusters, as far as they answer within a second. For a program that is about to exit
/// without dropping its work, such as one that was interrupted.
pub fn cancel_jobs() {
    cancel(std::mem::take(&mut JOBS.lock().unwrap_or_else(PoisonError::into_inner)));
}

fn cancel(jobs: Vec<(Cluster, String)>) {
    let work = async {
        for (cluster, job_id) in jobs {
            if let Ok(mut scheduler) = cluster.connect().await {
                let _ = scheduler.cancel_job(CancelJobParams { job_id }).await;
            }
        }
    };
    // Whoever wants that may be about to end the runtime, so this has one of its own.
    thread::scope(|scope| {
        scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let _ = runtime.map(|runtime| runtime.block_on(async { timeout(Duration::from_secs(1), work).await }));
        });
    });
}

impl Job {
    fn begun(cluster: &Cluster, id: String, session_id: String) -> Self {
        JOBS.lock().unwrap_or_else(PoisonError::into_inner).push((cluster.clone(), id.clone()));
        Self { id, session_id }
    }

    /// Takes the job off the list of those to be cancelled.
    fn forget(&self) -> Option<(Cluster, String)> {
        let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
        let place = jobs.iter().position(|(_, id)| *id == self.id)?;
        Some(jobs.swap_remove(place))
    }

    /// Has the job's files removed, now that nobody needs them.
    async fn finish(&mut self, scheduler: &mut Scheduler) {
        self.forget();
        // The scheduler removes what is left without that, only later.
        let clean = CleanJobDataParams { job_id: self.id.clone(), remove_stage_ids: vec![] };
        let _ = timeout(ANSWER, scheduler.clean_job_data(clean)).await;
        let session_id = self.session_id.clone();
        let _ = timeout(ANSWER, scheduler.remove_session(RemoveSessionParams { session_id })).await;
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(job) = self.forget() {
            cancel(vec![job]);
        }
    }
}

/// What a plan runs under, as executors are told.
fn settings(config: &SessionConfig) -> Vec<KeyValuePair> {
    let ours = session_config();
    let mut settings: HashMap<String, Option<String>> = HashMap::new();
    for options in [ours.options(), config.options()] {
        settings.extend(options.entries().into_iter().map(|entry| (entry.key, entry.value)));
    }
    // The plan is as good as it gets. What is planned again after every stage is harder to follow when machines fail.
    settings.insert(BALLISTA_ADAPTIVE_PLANNER_ENABLED.into(), Some("false".into()));
    // As many bytes whatever the counts are: how well they pack would tell something of them to whoever watches the wire.
    settings.insert(BALLISTA_SHUFFLE_COMPRESSION_CODEC.into(), Some("none".into()));
    settings.insert(BALLISTA_CLIENT_IO_RETRIES_TIMES.into(), Some("1".into()));
    let mut settings: Vec<_> = settings.into_iter().map(|(key, value)| KeyValuePair { key, value }).collect();
    settings.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    settings
}

#[async_trait]
impl Remote for Cluster {
    fn parts(&self, bytes: u64, cells: usize) -> usize {
        let by_sum = SUM_BYTES / (8 * cells.max(1) as u64);
        let parts = (bytes / self.options.part_bytes.max(1)).min(by_sum).clamp(LEAST_PARTS, MOST_PARTS);
        usize::try_from(parts).expect("a few thousand parts")
    }

    async fn collect(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> Result<Vec<RecordBatch>, EngineError> {
        self.rows(&plan, config).await
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
    fn parts_are_few_enough_to_be_added_up_and_small_enough_to_be_lost() {
        let cluster = Cluster::new("ballista://a:1".parse().unwrap(), ClusterOptions::new(Security::None));
        assert_eq!(cluster.parts(0, 10), 8);
        assert_eq!(cluster.parts(64 << 30, 10_000), 2_048);
        assert_eq!(cluster.parts(1 << 50, 10_000), 4_096);
        assert_eq!(cluster.parts(1 << 50, 2 << 20), 256);
        assert_eq!(cluster.parts(1 << 50, usize::MAX >> 4), 8);
    }
}
