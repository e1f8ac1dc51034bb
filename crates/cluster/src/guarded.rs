//! Restricts Ballista's scheduler: executors may poll, and clients may submit physical plans and
//! query their jobs. Everything else, such as planning SQL, is refused.

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

/// Response to a client while there is no executor, so that it need not wait.
pub(crate) const NO_EXECUTOR: &str = "no executor";

type Ballista = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;
type RpcResult<T> = Result<Response<T>, Status>;

/// A scheduler that accepts only requests of Scumble.
pub(crate) struct GuardedScheduler(pub(crate) Ballista);

fn refused<T>() -> RpcResult<T> {
    Err(Status::unimplemented("not a request of Scumble"))
}

#[async_trait]
impl SchedulerGrpc for GuardedScheduler {
    type ExecuteQueryPushStream = Pin<Box<dyn Stream<Item = Result<GetJobStatusResult, Status>> + Send>>;

    async fn poll_work(&self, request: Request<PollWorkParams>) -> RpcResult<PollWorkResult> {
        self.0.poll_work(request).await
    }

    async fn heart_beat_from_executor(&self, request: Request<HeartBeatParams>) -> RpcResult<HeartBeatResult> {
        self.0.heart_beat_from_executor(request).await
    }

    async fn executor_stopped(&self, request: Request<ExecutorStoppedParams>) -> RpcResult<ExecutorStoppedResult> {
        self.0.executor_stopped(request).await
    }

    async fn execute_query(&self, request: Request<ExecuteQueryParams>) -> RpcResult<ExecuteQueryResult> {
        if !matches!(request.get_ref().query, Some(Query::PhysicalPlan(_))) {
            return refused();
        }
        if !self.0.is_ready() {
            return Err(Status::resource_exhausted(NO_EXECUTOR));
        }
        self.0.execute_query(request).await
    }

    async fn get_job_status(&self, request: Request<GetJobStatusParams>) -> RpcResult<GetJobStatusResult> {
        self.0.get_job_status(request).await
    }

    async fn cancel_job(&self, request: Request<CancelJobParams>) -> RpcResult<CancelJobResult> {
        SchedulerGrpc::cancel_job(&self.0, request).await
    }

    async fn clean_job_data(&self, request: Request<CleanJobDataParams>) -> RpcResult<CleanJobDataResult> {
        self.0.clean_job_data(request).await
    }

    async fn remove_session(&self, request: Request<RemoveSessionParams>) -> RpcResult<RemoveSessionResult> {
        self.0.remove_session(request).await
    }

    async fn register_executor(&self, _: Request<RegisterExecutorParams>) -> RpcResult<RegisterExecutorResult> {
        refused()
    }

    async fn update_task_status(&self, _: Request<UpdateTaskStatusParams>) -> RpcResult<UpdateTaskStatusResult> {
        refused()
    }

    async fn create_update_session(
        &self,
        _: Request<CreateUpdateSessionParams>,
    ) -> RpcResult<CreateUpdateSessionResult> {
        refused()
    }

    async fn execute_query_push(&self, _: Request<ExecuteQueryParams>) -> RpcResult<Self::ExecuteQueryPushStream> {
        refused()
    }

    async fn get_job_metrics(&self, _: Request<GetJobMetricsParams>) -> RpcResult<GetJobMetricsResult> {
        refused()
    }
}
