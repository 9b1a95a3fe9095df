#!/bin/bash
# The start of a standby (compose.scale.yaml): on an empty volume it copies the primary first. PGPASSWORD is the
# password of the role that replicates.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install --directory --mode=700 --owner=postgres --group=postgres "$PGDATA"
  until gosu postgres pg_basebackup --dbname="host=${PRIMARY:-postgres-1} user=replication" \
    --pgdata="$PGDATA" --wal-method=stream --write-recovery-conf; do
    sleep 2
  done
  # once it is promoted it has no standby to wait for
  sed --in-place '/^synchronous_standby_names/d' "$PGDATA/postgresql.auto.conf"
fi
exec docker-entrypoint.sh "$@"
