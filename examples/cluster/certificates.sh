#!/bin/sh
# Writes what a server needs that other machines can reach, into the folder secrets:
# a certificate for the given names with that of the authority that signs it, and a
# token. The authority's key stays beside the folder.
#   sh certificates.sh queue.example.org
set -eu
[ $# -gt 0 ] || { echo "usage: certificates.sh NAME..." >&2; exit 2; }
mkdir -p secrets
cd secrets
names=
for n in "$@"; do names="$names,DNS:$n"; done
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj /CN=fdplan-ca -keyout ../ca.key -out ca.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" -addext "subjectAltName=${names#,}" -keyout server.key -out ../server.csr
openssl x509 -req -in ../server.csr -CA ca.pem -CAkey ../ca.key -CAserial ../ca.srl -CAcreateserial -days 365 -copy_extensions copy -out server.pem
rm ../server.csr
head -c 32 /dev/urandom | base64 | tr -d '\n' > token
chmod 644 server.key token # the containers run as another user
