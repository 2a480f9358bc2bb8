#!/bin/sh
# Patroni runs this once, in a new cluster; $1 is the address of its first server. wishgate's role owns its database and nothing else.
psql --quiet --set ON_ERROR_STOP=1 "$1" <<SQL
CREATE ROLE wishgate LOGIN PASSWORD '@PASSWORD@';
CREATE DATABASE wishgate OWNER wishgate;
SQL
