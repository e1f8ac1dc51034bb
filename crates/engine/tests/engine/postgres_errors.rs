//! Database problems are reported, without a value and without the password.

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use scumble_engine::exact::ExactCounts;
use scumble_engine::{
    CodedTable, ColumnProblem, DatabaseProblem, EngineError, Input, ProgressSink, ReadOptions, column_types,
};
use scumble_schema::{Clique, Dialect, Schema};
use tempfile::TempDir;

use crate::common::read;
use crate::postgres::{column, printed, problem, strings};
use crate::postgres_server::{PASSWORD, Server};

#[test]
fn refusals_of_the_database_are_reported_in_a_sentence() {
    let Some(server) = Server::start() else { return };
    server.sql(
        "CREATE TABLE t (a text); INSERT INTO t VALUES ('CANARY'), ('1');
         CREATE ROLE guest LOGIN PASSWORD 'guestCANARY';
         CREATE VIEW fails AS SELECT (1 / (length(a) - 6))::text AS a FROM t;
         CREATE VIEW casts AS SELECT a::int AS a FROM t;
         CREATE FUNCTION remember() RETURNS text LANGUAGE plpgsql VOLATILE AS
             $$ BEGIN RAISE NOTICE 'CANARY'; INSERT INTO t VALUES ('written'); RETURN 'a'; END $$;
         CREATE VIEW writes AS SELECT remember() AS a;
         CREATE TABLE slow (a text); CREATE VIEW sleeps AS SELECT a || pg_sleep(30)::text AS a FROM t;
         ALTER ROLE guest SET statement_timeout = '300ms'; GRANT SELECT ON sleeps TO guest;",
    );
    let (schema, port) = (strings("a", &["1"]), server.port());
    for (url, expected) in [
        (server.url("missing"), DatabaseProblem::NoTable),
        (server.url("no_schema.t"), DatabaseProblem::NoTable),
        (server.url("%22T%22"), DatabaseProblem::NoTable),
        (server.url_of("postgres", "wrongCANARY", "postgres", "t"), DatabaseProblem::Authentication),
        (server.url_of("nobody", PASSWORD, "postgres", "t"), DatabaseProblem::Authentication),
        (format!("postgresql://guest@127.0.0.1:{port}/postgres?table=t"), DatabaseProblem::Authentication),
        (server.url_of("postgres", PASSWORD, "no_database", "t"), DatabaseProblem::NoDatabase),
        (server.url_of("guest", "guestCANARY", "postgres", "t"), DatabaseProblem::Denied),
        (server.url_of("guest", "guestCANARY", "postgres", "sleeps"), DatabaseProblem::Cancelled),
        (format!("{}&sslmode=require", server.url("t")), DatabaseProblem::Tls),
        // The port of a closed listener.
        (format!("postgresql://u:{PASSWORD}@127.0.0.1:{}/d?table=t", free_port()), DatabaseProblem::Unreachable),
        (format!("{}&host=/nonexistent", server.url("t")), DatabaseProblem::Unreachable),
        (server.url("fails"), DatabaseProblem::Failed),
        (server.url("casts"), DatabaseProblem::Failed),
        (server.url("writes"), DatabaseProblem::Writes),
    ] {
        let error = read(&url, &schema).unwrap_err();
        let EngineError::Database { problem, .. } = &error else { panic!("{error:?}") };
        assert_eq!(*problem, expected, "{}", printed(&error));
        assert!(error.hint().is_some());
        if !matches!(expected, DatabaseProblem::Denied | DatabaseProblem::Cancelled)
            && !url.contains("table=fails")
            && !url.contains("table=casts")
            && !url.contains("table=writes")
        {
            printed(&column_types(&Input::new(&url), None, &Dialect::default()).unwrap_err());
        }
    }
    // Nothing was written.
    assert_eq!(server.sql("SELECT count(*) FROM t"), "2");
    let error = read(server.url("t"), &strings("b", &["1"])).unwrap_err();
    assert!(matches!(&error, EngineError::Schema { problem: ColumnProblem::Missing { .. }, .. }), "{error:?}");
    assert!(printed(&error).contains(&format!("127.0.0.1:{port}/postgres?table=t")));
    let input = format!("{:?}", Input::new(server.url("t")));
    assert_eq!(input, format!("Input(\"postgresql://postgres@127.0.0.1:{port}/postgres?table=t\")"));
    let error = read("postgresql://u:hunter2CANARY@h/d", &schema).unwrap_err();
    assert!(printed(&error).contains("names no table"));
}

fn free_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

#[test]
fn another_server_at_the_port_is_an_error_in_time() {
    let schema = strings("a", &["1"]);
    // One that sends nothing, and one that sends what PostgreSQL would not.
    for (words, expected) in
        [(&b""[..], DatabaseProblem::Timeout), (b"HTTP/1.1 400 Bad Request\r\n\r\n", DatabaseProblem::Lost)]
    {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let guest = std::thread::spawn(move || {
            use std::io::Write;
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(words).unwrap();
            if words.is_empty() {
                std::thread::sleep(std::time::Duration::from_secs(3));
            }
        });
        let url = format!("postgresql://u@127.0.0.1:{port}/d?table=t&connect_timeout=1");
        assert_eq!(problem(&url, &schema), expected);
        guest.join().unwrap();
    }
}

/// Peak memory of this process so far, in bytes.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn a_million_rows_stream_through_and_a_server_that_dies_is_noticed() {
    let Some(mut server) = Server::start() else { return };
    server.sql(
        "CREATE UNLOGGED TABLE big AS
         SELECT (n % 7)::int2 AS a, repeat('x', 400) || n AS b FROM generate_series(1, 1000000) n;",
    );
    let schema = Schema::parse(
        "fields:
  - {name: a, type: integer, constraints: {minimum: 0, maximum: 6, required: true}, dp: {foldInto: 0}}
  - {name: b, type: string, constraints: {enum: [y]}, dp: {open: true}}
",
    )
    .unwrap();
    let before = peak_memory();
    let table = read(server.url("big"), &schema).unwrap();
    let grown = peak_memory() - before;
    let counts = table.count_tables(&[Clique::empty()]).unwrap();
    assert_eq!(counts[0], [1_000_000]);
    // More than 400 MB were transferred. Of the memory that stays, the codes of the rows are 2 MB.
    assert!(grown < 100 << 20, "{} MiB", grown >> 20);

    // The server ends in the middle of the scan.
    let (stopped, options) = (Arc::new(AtomicU64::new(0)), ReadOptions::default());
    let pid = server.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'");
    let once = Arc::clone(&stopped);
    let progress = ProgressSink::new(move |progress| {
        if progress.bytes_read > 1 << 20 && once.fetch_add(1, Ordering::Relaxed) == 0 {
            // A crashed server process ends all connections.
            Command::new("kill").args(["-KILL", &pid]).status().unwrap();
        }
    });
    let inputs = [Input::new(server.url("big"))];
    let error = CodedTable::read(&inputs, &schema, &ReadOptions { progress: Some(progress), ..options }).unwrap_err();
    assert!(stopped.load(Ordering::Relaxed) > 0, "the scan ended before the server did");
    assert!(matches!(error, EngineError::Database { problem: DatabaseProblem::Lost, .. }), "{error:?}");
    printed(&error);
    server.stop();
    // A socket may outlive its server for a moment, and for longer on a busy machine.
    let mut answers = (0..1_200).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        problem(&server.url("big"), &schema)
    });
    let refused = answers.find(|problem| *problem != DatabaseProblem::Lost);
    assert_eq!(refused, Some(DatabaseProblem::Unreachable));
}

#[test]
fn a_connection_is_encrypted_only_to_a_trusted_server() {
    let directory = TempDir::new().unwrap();
    let (key, certificate) = (directory.path().join("key.pem"), directory.path().join("cert.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    let Ok(made) = made else { return };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let Some(server) = Server::start_with(&[], &["listen_addresses=127.0.0.1,127.0.0.2"]) else { return };
    let key = server.give("server.key", &fs::read(&key).unwrap());
    fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let certificate = server.give("server.crt", &fs::read(&certificate).unwrap());
    server.sql(&format!(
        "ALTER SYSTEM SET ssl_key_file = '{}'; ALTER SYSTEM SET ssl_cert_file = '{}'; ALTER SYSTEM SET ssl = on;
         SELECT pg_reload_conf();
         CREATE VIEW encrypted AS SELECT ssl::text AS a FROM pg_stat_ssl WHERE pid = pg_backend_pid();",
        key.display(),
        certificate.display()
    ));
    let schema = strings("a", &["true", "false"]);
    let url = server.url("encrypted");
    let ended = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while server.sql("SELECT current_setting('ssl')") != "on" {
        assert!(std::time::Instant::now() < ended, "the server has no TLS");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // This certificate is not trusted.
    for mode in ["require", "prefer"] {
        assert_eq!(problem(&format!("{url}&sslmode={mode}"), &schema), DatabaseProblem::Tls);
    }
    assert_eq!(column(&url, &schema), [0, 1, 0, 0]);
    // With the certificate among the trusted ones.
    let trusted = [("SSL_CERT_FILE", certificate.to_str().unwrap())];
    in_a_process_of_its_own("a_trusted_server_is_used_with_encryption", &url, &trusted);
}

/// Runs another test of this file on `url`, in a process with its own environment.
fn in_a_process_of_its_own(test: &str, url: &str, environment: &[(&str, &str)]) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("postgres_errors::{test}"), "--ignored", "--test-threads=1"])
        .envs(environment.iter().copied())
        .env("SCUMBLE_TEST_URL", url)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
#[ignore = "run by the test of TLS, which sets its environment"]
fn a_trusted_server_is_used_with_encryption() {
    let url = std::env::var("SCUMBLE_TEST_URL").unwrap();
    let schema = strings("a", &["true", "false"]);
    for mode in ["require", "prefer", "verify-full"] {
        assert_eq!(column(&format!("{url}&sslmode={mode}"), &schema), [1, 0, 0, 0]);
    }
    // The name in the certificate is verified too.
    let other = url.replace("127.0.0.1", "127.0.0.2");
    assert_ne!(other, url);
    assert_eq!(column(&other, &schema), [0, 1, 0, 0]);
    assert_eq!(problem(&format!("{other}&sslmode=require"), &schema), DatabaseProblem::Tls);
}

#[test]
fn a_password_comes_from_the_environment_or_the_file() {
    let Some(server) = Server::start() else { return };
    server.sql("CREATE TABLE t (a text); INSERT INTO t VALUES ('1');");
    let url = server.url("t").replace(&format!(":{PASSWORD}@"), "@");
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("passwords");
    fs::write(&file, format!("elsewhere:*:*:*:x\n127.0.0.1:{}:*:postgres:{PASSWORD}\n", server.port())).unwrap();
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    for environment in [("PGPASSWORD", PASSWORD), ("PGPASSFILE", file.to_str().unwrap())] {
        in_a_process_of_its_own("the_only_row_can_be_read", &url, &[environment]);
    }
}

#[test]
#[ignore = "run by the test of passwords, which sets its environment"]
fn the_only_row_can_be_read() {
    let url = std::env::var("SCUMBLE_TEST_URL").unwrap();
    assert!(!url.contains(PASSWORD));
    assert_eq!(column(&url, &strings("a", &["1"])), [1, 0, 0]);
}
