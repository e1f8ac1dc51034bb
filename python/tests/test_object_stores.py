"""Parquet files in a bucket of a server that speaks S3, over TLS and with keys that it checks."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator

import pytest

import scumble

SCHEMA = scumble.Schema({"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}]})
LIFETIME = 120


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket `lake` with a file of ages. The environment has the keys of its reader."""
    boto3, pyarrow = pytest.importorskip("boto3"), pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("moto.server")
    certificate, key = tmp_path / "server.pem", tmp_path / "server.key"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    extensions = ["-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([*made, *subject, *extensions, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # The server trusts everyone until a user with keys is there.
    setting_up = {**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": "5", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port), "-s", "-c", certificate, "-k", key]
    server = subprocess.Popen(command, env=setting_up, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + LIFETIME
        while time.monotonic() < end:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert server.poll() is None, "the server ended"
            time.sleep(0.1)
        endpoint = f"https://localhost:{port}"

        def client(service: str) -> object:
            terms = {"aws_access_key_id": "x", "aws_secret_access_key": "x", "region_name": "us-east-1"}
            return boto3.client(service, endpoint_url=endpoint, verify=str(certificate), **terms)

        users, objects = client("iam"), client("s3")
        parquet.write_table(pyarrow.table({"age": [n % 10 for n in range(4_000)]}), tmp_path / "ages.parquet")
        objects.create_bucket(Bucket="lake")
        objects.upload_file(str(tmp_path / "ages.parquet"), "lake", "people/year=2024/ages.parquet")
        users.create_user(UserName="reader")
        policy = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'
        users.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=policy)
        keys = users.create_access_key(UserName="reader")["AccessKey"]
        monkeypatch.setenv("AWS_ENDPOINT", endpoint)
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys["AccessKeyId"])
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys["SecretAccessKey"])
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        monkeypatch.delenv("SSL_CERT_DIR", raising=False)
        yield "s3://lake/people/"
    finally:
        server.kill()
        server.wait()


def test_rows_come_over_tls_and_wrong_keys_are_refused_with_a_hint(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = scumble.Independent(1.0, 1e-9).fit(bucket, SCHEMA)
    assert abs(fitted.model_.rows - 4_000) < 100
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(scumble.ScumbleError, match="cannot be opened|permission denied") as refused:
        scumble.Independent(1.0, 1e-9).fit(bucket, SCHEMA)
    assert "AWS_SECRET_ACCESS_KEY" in str(refused.value)
    monkeypatch.setenv("SSL_CERT_FILE", os.devnull)
    with pytest.raises(scumble.ScumbleError):
        scumble.Independent(1.0, 1e-9).fit(bucket, SCHEMA)
