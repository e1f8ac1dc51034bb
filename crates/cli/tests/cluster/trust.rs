//! Authentication, and what others can see.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use scumble::cluster::Security;
use scumble::engine::{ClusterProblem, EngineError, TableScan};
use scumble::schema::Clique;
use scumble::{Input, ReadOptions, Schema};
use scumble_engine::exact::ExactCounts;

use crate::servers::{Servers, files_below, scumble, wait_until};

/// An authority, with folders of certificates for servers and for clients, made by the script for
/// users.
struct Authority(tempfile::TempDir);

impl Authority {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cluster/certificates.sh");
        let output = Command::new(script).arg(folder.path().join("tls")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self(folder)
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.0.path().join("tls").join(name)
    }
}

const SCHEMA: &str = "fields:\n  - {name: a, type: integer, constraints: {minimum: 0, maximum: 9}}\n";

fn count(servers: &Servers, security: Security, input: &Path) -> Result<Vec<Vec<u64>>, EngineError> {
    let schema = Schema::parse(SCHEMA).unwrap();
    let options = ReadOptions { remote: Some(Arc::new(servers.cluster_as(security))), ..ReadOptions::default() };
    TableScan::open(&[Input::new(input)], &schema, &options)?.count_tables(&[Clique::empty()])
}

#[test]
fn only_clients_with_a_certificate_of_the_authority_are_accepted() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let (server, client) = (ours.folder("server"), ours.folder("client"));
    let security = Security::read(&client).unwrap();
    let servers = Servers::start_with(2, &["--tls", server.to_str().unwrap()], security.clone());
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a.csv");
    fs::write(&data, "a\n1\n2\n3\n").unwrap();
    assert_eq!(count(&servers, security, &data), Ok(vec![vec![3]]));

    let refused = |security| match count(&servers, security, &data) {
        Err(EngineError::Cluster { problem, .. }) => problem,
        other => panic!("{other:?}"),
    };
    // Without a certificate, with one of another authority, and with one of ours that trusts
    // another.
    for problem in [
        refused(Security::None),
        refused(Security::read(&theirs.folder("client")).unwrap()),
        refused({
            let mixed = folder.path().join("mixed");
            fs::create_dir(&mixed).unwrap();
            fs::copy(theirs.folder("client").join("ca.pem"), mixed.join("ca.pem")).unwrap();
            for name in ["cert.pem", "key.pem"] {
                fs::copy(client.join(name), mixed.join(name)).unwrap();
            }
            Security::read(&mixed).unwrap()
        }),
    ] {
        assert!(matches!(problem, ClusterProblem::Unreachable | ClusterProblem::Lost), "{problem:?}");
    }
    // A client of ours that acts as the scheduler is not trusted.
    let false_servers = Servers::start_with(0, &["--tls", client.to_str().unwrap()], Security::read(&server).unwrap());
    assert!(count(&false_servers, Security::read(&server).unwrap(), &data).is_err());
}

#[test]
fn an_executor_without_a_certificate_gets_no_work() {
    let authority = Authority::new();
    let server = authority.folder("server");
    let servers = Servers::start_with(0, &["--tls", server.to_str().unwrap()], Security::read(&server).unwrap());
    let work = tempfile::tempdir().unwrap();
    let mut stranger = scumble(&["executor", "--without-tls", "--quiet", "--scheduler", &servers.address()])
        .args(["--listen", "127.0.0.1:0", "--work-dir", work.path().to_str().unwrap()])
        .spawn()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a.csv");
    fs::write(&data, "a\n1\n").unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    let outcome = count(&servers, Security::read(&server).unwrap(), &data);
    assert!(matches!(outcome, Err(EngineError::Cluster { problem: ClusterProblem::NoExecutor, .. })), "{outcome:?}");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let authority = Authority::new();
    let folder = authority.folder("client");
    fs::set_permissions(folder.join("key.pem"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(Security::read(&folder).unwrap_err().to_string().contains("can be read by others"));
    fs::set_permissions(folder.join("key.pem"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(folder.join("cert.pem"), "no certificate").unwrap();
    assert!(Security::read(&folder).unwrap_err().to_string().contains("not sound"));
}

#[test]
fn work_directories_are_private_and_cleaned_up() {
    let mut servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a.csv");
    fs::write(&data, "a\n1\n2\n3\n").unwrap();
    assert_eq!(count(&servers, Security::None, &data), Ok(vec![vec![3]]));
    for executor in servers.executors() {
        for room in fs::read_dir(&executor.work).unwrap() {
            assert_eq!(room.unwrap().metadata().unwrap().mode() & 0o777, 0o700);
        }
        let work = executor.work.clone();
        // Only the lock of the work directory remains.
        wait_until("counts are removed", || files_below(&work).unwrap().len() == 1);
    }
    // A killed process cannot clean up; the next one in the same directory does.
    let work = servers.executors()[0].work.clone();
    let left = fs::read_dir(&work).unwrap().next().unwrap().unwrap().path();
    fs::write(left.join("work").join("counts"), "exact").unwrap();
    servers.executors().remove(0);
    assert!(left.join("work").join("counts").exists());
    let mut next = scumble(&["executor", "--without-tls", "--quiet", "--scheduler", &servers.address()])
        .args(["--listen", "127.0.0.1:0", "--work-dir", work.to_str().unwrap()])
        .spawn()
        .unwrap();
    wait_until("what was left is removed", || !left.exists());
    next.kill().unwrap();
    next.wait().unwrap();
}
