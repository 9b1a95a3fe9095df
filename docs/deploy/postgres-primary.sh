#!/bin/bash
# Run once by the postgres image when it has made the primary's empty cluster (compose.scale.yaml): makes the site's role
# and database, lets the standby replicate, and has every commit wait for it.
set -euo pipefail

echo "host replication replication all scram-sha-256" >>"$PGDATA/pg_hba.conf"
# from the environment, since every user of the machine can read a program's arguments
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password DATABASE_PASSWORD
\getenv replication POSTGRES_PASSWORD
create role golden_path login password :'password';
create database golden_path owner golden_path;
create role replication replication login password :'replication';
-- last, because from the next start on nothing is committed without a standby
alter system set synchronous_standby_names = '*';
SQL
