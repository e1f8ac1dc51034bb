//! Ballista's scheduler behind a door: executors poll, and clients hand in plans of ours and ask after them. The rest of what it
//! can do, such as planning SQL, is shut.

use std::pin::Pin;

use async_trait::async_trait;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpc;
use ballista_core::serde::protobuf::{
    CancelJobParams, CancelJobResult, CleanJobDataParams, CleanJobDataResult, CreateUpdateSessionParams,
    CreateUpdateSessionResult, ExecuteQueryParams, ExecuteQueryResult, ExecutorStoppedParams, ExecutorStoppedResult,
    GetJobMetricsParams, GetJobMetricsResult, GetJobStatusParams, GetJobStatusResult, HeartBeatParams, HeartBeatResult,
    PollWorkParams, PollWorkResult, RegisterExecutorParams, RegisterExecutorResult, RemoveSessionParams,
    RemoveSessionResult, UpdateTaskStatusParams, UpdateTaskStatusResult,
};
use ballista_scheduler::scheduler_server::SchedulerServer;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use futures::Stream;
use tonic::{Request, Response, Status};

/// What a client is told when there is nobody to do the work. It is better told so than left waiting.
pub(crate) const NO_EXECUTOR: &str = "no executor";

type Ballista = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;
type Answer<T> = Result<Response<T>, Status>;

/// The scheduler behind its door.
pub(crate) struct GuardedScheduler(pub(crate) Ballista);

fn shut<T>() -> Answer<T> {
    Err(Status::unimplemented("not a thing that Scumble asks for"))
}

#[async_trait]
impl SchedulerGrpc for GuardedScheduler {
    type ExecuteQueryPushStream = Pin<Box<dyn Stream<Item = Result<GetJobStatusResult, Status>> + Send>>;

    async fn poll_work(&self, request: Request<PollWorkParams>) -> Answer<PollWorkResult> {
        self.0.poll_work(request).await
    }

    async fn heart_beat_from_executor(&self, request: Request<HeartBeatParams>) -> Answer<HeartBeatResult> {
        self.0.heart_beat_from_executor(request).await
    }

    async fn executor_stopped(&self, request: Request<ExecutorStoppedParams>) -> Answer<ExecutorStoppedResult> {
        self.0.executor_stopped(request).await
    }

    async fn execute_query(&self, request: Request<ExecuteQueryParams>) -> Answer<ExecuteQueryResult> {
        if !matches!(request.get_ref().query, Some(Query::PhysicalPlan(_))) {
            return shut();
        }
        if !self.0.is_ready() {
            return Err(Status::resource_exhausted(NO_EXECUTOR));
        }
        self.0.execute_query(request).await
    }

    async fn get_job_status(&self, request: Request<GetJobStatusParams>) -> Answer<GetJobStatusResult> {
        self.0.get_job_status(request).await
    }

    async fn cancel_job(&self, request: Request<CancelJobParams>) -> Answer<CancelJobResult> {
        SchedulerGrpc::cancel_job(&self.0, request).await
    }

    async fn clean_job_data(&self, request: Request<CleanJobDataParams>) -> Answer<CleanJobDataResult> {
        self.0.clean_job_data(request).await
    }

    async fn remove_session(&self, request: Request<RemoveSessionParams>) -> Answer<RemoveSessionResult> {
        self.0.remove_session(request).await
    }

    async fn register_executor(&self, _: Request<RegisterExecutorParams>) -> Answer<RegisterExecutorResult> {
        shut()
    }

    async fn update_task_status(&self, _: Request<UpdateTaskStatusParams>) -> Answer<UpdateTaskStatusResult> {
        shut()
    }

    async fn create_update_session(&self, _: Request<CreateUpdateSessionParams>) -> Answer<CreateUpdateSessionResult> {
        shut()
    }

    async fn execute_query_push(&self, _: Request<ExecuteQueryParams>) -> Answer<Self::ExecuteQueryPushStream> {
        shut()
    }

    async fn get_job_metrics(&self, _: Request<GetJobMetricsParams>) -> Answer<GetJobMetricsResult> {
        shut()
    }
}
