//! A PostgreSQL server on loopback that ends with the test.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub(crate) const PASSWORD: &str = "hunter2CANARY";
/// Longer than any test. A server whose test was killed ends by itself after this time.
const LIFETIME: Duration = Duration::from_mins(10);
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server. Its user is `postgres`, with the password [`PASSWORD`] over TCP.
pub(crate) struct Server {
    process: Child,
    directory: TempDir,
    programs: PathBuf,
    port: u16,
}

impl Server {
    /// Starts a server; returns `None`, and prints a line, if this machine has none. With
    /// `SCUMBLE_REQUIRE_POSTGRES` set, as in CI, that is a failure instead.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[], &[])
    }

    /// Starts a server with additional arguments for `initdb` and for the server.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub(crate) fn start_with(initdb: &[&str], arguments: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os("SCUMBLE_REQUIRE_POSTGRES").is_none(),
                "no PostgreSQL server programs in /usr/lib/postgresql or PATH"
            );
            eprintln!("SKIPPED: no PostgreSQL server programs in /usr/lib/postgresql or PATH");
            return None;
        };
        let directory = TempDir::with_prefix("scumble-pg-").unwrap();
        if let Some((user, group)) = owner() {
            chown(directory.path(), Some(user), Some(group)).unwrap();
        }
        let data = directory.path().join("data");
        let password = directory.path().join("password");
        fs::write(&password, PASSWORD).unwrap();
        fs::set_permissions(&password, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        let made = command(&programs.join("initdb"))
            .args(["--no-sync", "--auth-host=scram-sha-256", "--auth-local=trust", "--username=postgres"])
            .args(if initdb.is_empty() { &["--encoding=UTF8", "--locale=C"] } else { initdb })
            .arg("--pwfile")
            .arg(&password)
            .arg("-D")
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let log = fs::File::create(directory.path().join("log")).unwrap();
        // `timeout` forwards signals, and ends a server that its test did not end.
        let process = command(Path::new("timeout"))
            .arg(LIFETIME.as_secs().to_string())
            .arg(programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(directory.path())
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"])
            .args(["-c", "full_page_writes=off", "-c", "max_wal_size=4GB"])
            .args(arguments.iter().flat_map(|argument| ["-c", argument]))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let server = Self { process, directory, programs, port };
        server.wait_until_ready();
        Some(server)
    }

    fn wait_until_ready(&self) {
        let end = Instant::now() + PATIENCE;
        while !self.psql("SELECT 1").0 {
            assert!(Instant::now() < end, "{}", fs::read_to_string(self.directory.path().join("log")).unwrap());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs statements, which must not fail, and returns their output.
    pub(crate) fn sql(&self, statements: &str) -> String {
        let (done, output) = self.psql(statements);
        assert!(done, "{output}");
        output.trim().to_owned()
    }

    fn psql(&self, statements: &str) -> (bool, String) {
        let mut process = command(&self.programs.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", "postgres"])
            .arg("-h")
            .arg(self.directory.path())
            .args(["-p", &self.port.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A server that is not ready yet closes the pipe.
        let _ = process.stdin.take().unwrap().write_all(statements.as_bytes());
        let output = process.wait_with_output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    /// Returns the address of a table, with the password.
    pub(crate) fn url(&self, table: &str) -> String {
        self.url_of("postgres", PASSWORD, "postgres", table)
    }

    pub(crate) fn url_of(&self, user: &str, password: &str, database: &str, table: &str) -> String {
        format!("postgresql://{user}:{password}@127.0.0.1:{}/{database}?table={table}", self.port)
    }

    /// Returns the address of a table over the socket, which needs no password.
    pub(crate) fn socket_url(&self, table: &str) -> String {
        let directory = self.directory.path().display();
        format!("postgresql://postgres@:{}/postgres?host={directory}&table={table}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Creates a file that the server can read, in its own directory.
    pub(crate) fn give(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.directory.path().join(name);
        fs::write(&path, content).unwrap();
        if let Some((user, group)) = owner() {
            chown(&path, Some(user), Some(group)).unwrap();
        }
        path
    }

    /// Ends the server immediately, without notice to its clients.
    pub(crate) fn stop(&mut self) {
        // SIGINT is PostgreSQL's fast shutdown.
        let _ = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status();
        let end = Instant::now() + PATIENCE;
        while matches!(self.process.try_wait(), Ok(None)) {
            if Instant::now() > end {
                let _ = self.process.kill();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// PostgreSQL refuses to run as root, so root runs it as the user of Debian's package.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    // A directory that every user may enter.
    command.current_dir("/").env_remove("PGPASSWORD").env("LC_ALL", "C");
    if let Some((user, group)) = owner() {
        command.uid(user).gid(group);
    }
    command
}

/// User and group of the server, if they differ from ours.
fn owner() -> Option<(u32, u32)> {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find(|line| line.starts_with("postgres:")).expect("a user `postgres`");
    let ids: Vec<u32> = line.split(':').skip(2).take(2).map(|id| id.parse().unwrap()).collect();
    Some((ids[0], ids[1]))
}

fn programs() -> Option<PathBuf> {
    let debian = glob::glob("/usr/lib/postgresql/*/bin").unwrap().flatten();
    let path = std::env::var_os("PATH").unwrap_or_default();
    debian.chain(std::env::split_paths(&path)).find(|directory| directory.join("initdb").exists())
}
