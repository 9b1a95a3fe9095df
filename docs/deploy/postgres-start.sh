#!/bin/bash
# The start of either PostgreSQL server of compose.scale.yaml (docs/scaling.md), before the image's own. SELF and OTHER are
# the names of this server and of the other, and PRIMARY is the one of them that is the primary; the one that is not copies
# it, if its disk is empty, and follows it. PGPASSWORD is the password of the role that replicates.
set -euo pipefail

# the first process of a container hears of its stop only by a trap, and only between two commands
trap 'kill $(jobs -p) 2>/dev/null || true; exit 143' TERM INT
attend() {
  "$@" &
  wait $!
}

refuse() {
  echo "$SELF does not start: $1" >&2
  exit 1
}

ask() {
  psql --dbname="host=$1 user=replication dbname=postgres connect_timeout=3" --no-psqlrc --tuples-only --no-align \
    --quiet --set=ON_ERROR_STOP=1 "${@:2}"
}

copy_primary() {
  local slot=${SELF//-/_}
  # the primary keeps for the slot what this server has not got yet; that of an earlier copy is of no use any more
  attend ask "$PRIMARY" \
    --command="select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '$slot'" \
    --command="select pg_create_physical_replication_slot('$slot', true)" >/dev/null &&
    rm -rf "$PGDATA.copy" &&
    install --directory --mode=700 --owner=postgres --group=postgres "$PGDATA.copy" &&
    attend gosu postgres pg_basebackup --dbname="host=$PRIMARY user=replication" --slot="$slot" \
      --pgdata="$PGDATA.copy" --wal-method=stream --checkpoint=fast --write-recovery-conf
}

has_data() { [ -s "$PGDATA/PG_VERSION" ]; }

if [ "$PRIMARY" = "$SELF" ]; then
  # f of a primary, t of a standby, nothing if it does not answer
  other=$(ask "$OTHER" --command="select pg_is_in_recovery()" 2>/dev/null || true)
  if [ "$other" = f ]; then
    refuse "$OTHER is a primary already. Stop it if $SELF took its place; else set PRIMARY=$OTHER and empty the disk of $SELF."
  elif [ "$other" = t ] && ! has_data; then
    refuse "its disk is empty, and $OTHER has a copy of the database. Promote $OTHER, and set PRIMARY=$OTHER."
  fi
elif [ "$PRIMARY" != "$OTHER" ]; then
  refuse "PRIMARY is $PRIMARY, which is neither $SELF nor $OTHER."
elif has_data; then
  [ -e "$PGDATA/standby.signal" ] ||
    refuse "it was a primary, and PRIMARY is $OTHER. If $SELF was promoted, set PRIMARY=$SELF; else empty its disk."
else
  until copy_primary; do
    attend sleep 2
  done
  # once it is promoted it has no standby to wait for
  gosu postgres sed --in-place '/^synchronous_standby_names/d' "$PGDATA.copy/postgresql.auto.conf"
  sync --file-system "$PGDATA.copy"
  # at once, so that a copy that was interrupted begins anew
  mv --no-target-directory "$PGDATA.copy" "$PGDATA"
fi
trap - TERM INT
exec docker-entrypoint.sh "$@"
