//! `scumble scheduler` and `scumble executor`

use scumble::MemoryLimit;
use scumble::cluster::{ExecutorOptions, SchedulerOptions, Security, log_to_stderr, run_executor, serve_scheduler};

use crate::arguments::{Executor, Scheduler};
use crate::failure::Failure;
use crate::terminal::Terminal;

pub(crate) fn scheduler(arguments: &Scheduler, terminal: &Terminal) -> Result<(), Failure> {
    let options = SchedulerOptions { listen: arguments.listen, security: arguments.trust.security()? };
    log_to_stderr(arguments.log.into());
    warn_if_open(&options.security, terminal);
    terminal.note(&format!("the scheduler listens at {}", arguments.listen));
    Ok(serve_scheduler(&options)?)
}

pub(crate) fn executor(arguments: &Executor, terminal: &Terminal) -> Result<(), Failure> {
    let threads = arguments.threads.map(usize::from);
    let options = ExecutorOptions {
        scheduler: arguments.scheduler.clone(),
        listen: arguments.listen,
        host: arguments.host.clone(),
        threads: threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into)),
        memory: arguments.memory_limit.map(MemoryLimit::bytes),
        work_directory: arguments.work_dir.clone(),
        security: arguments.trust.security()?,
    };
    log_to_stderr(arguments.log.into());
    warn_if_open(&options.security, terminal);
    terminal.note(&format!("the executor works for {} and listens at {}", arguments.scheduler, arguments.listen));
    Ok(run_executor(&options)?)
}

fn warn_if_open(security: &Security, terminal: &Terminal) {
    if matches!(security, Security::None) {
        terminal
            .warn("without certificates, everyone who reaches this port can get exact counts of any file that this process can read");
    }
}
