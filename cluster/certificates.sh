#!/usr/bin/env bash
# Makes an authority for a cluster, and certificates of it for servers and for clients:
#
#     cluster/certificates.sh FOLDER
#
# FOLDER/authority holds its key, which is needed to sign more and belongs on none of the machines. FOLDER/server is for
# `--tls` of schedulers and executors, FOLDER/client for that of `scumble fit` and `scumble sample`.
set -euo pipefail
folder="${1:?name a folder to make}"
days="${SCUMBLE_CERTIFICATE_DAYS:-365}"
umask 077
mkdir "$folder" "$folder/authority" "$folder/server" "$folder/client"
cd "$folder"

openssl req -x509 -newkey ed25519 -nodes -keyout authority/key.pem -out authority/ca.pem -days "$days" \
    -subj "/CN=authority of a Scumble cluster" 2>/dev/null

# sign FOLDER PURPOSE [NAME]: a client is no server, so only a server's certificate has the name that servers are known by.
sign() {
    openssl req -newkey ed25519 -nodes -keyout "$1/key.pem" -out request.pem -subj "/CN=$1" 2>/dev/null
    {
        echo "basicConstraints = critical, CA:FALSE"
        echo "extendedKeyUsage = $2"
        if [ $# -gt 2 ]; then echo "subjectAltName = DNS:$3"; fi
    } >extensions
    openssl x509 -req -in request.pem -CA authority/ca.pem -CAkey authority/key.pem -CAcreateserial -days "$days" \
        -extfile extensions -out "$1/cert.pem" 2>/dev/null
    cp authority/ca.pem "$1/ca.pem"
    rm request.pem extensions
}
# Executors call schedulers and each other, so a server is a client too.
sign server "serverAuth, clientAuth" scumble-cluster
sign client clientAuth
