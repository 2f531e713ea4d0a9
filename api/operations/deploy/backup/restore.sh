#!/bin/sh
# Prepares a restore to a second: restore.sh <base backup> <folder of the log> <new data folder> <time, such as "2026-11-25 09:30:00+00">
#
# Replays the log up to that time and then becomes a primary of its own. Start the server on the new folder when this has ended:
# pg_ctl -D <new data folder> -o "-c archive_mode=off -c synchronous_standby_names=" start. It must neither archive into the folder that it reads
# nor wait for standbys; these two are no lines of the file below, because they would outlast the start. Never restore into the folder of a
# running server.
set -eu
backup=$1 log=$2 target=$3 time=$4
case $backup in *.partial | *.partial/)
  echo "$backup is not complete" >&2
  exit 1
  ;;
esac
if [ -e "$target" ] && [ -n "$(ls -A "$target")" ]; then
  echo "$target is not empty" >&2
  exit 1
fi
mkdir -p "$target"
cp -a "$backup/." "$target/"
chmod 700 "$target"
# Of the cluster that it was copied from.
rm -f "$target/standby.signal" "$target/postmaster.pid" "$target/patroni.dynamic.json"
touch "$target/recovery.signal"
cat >> "$target/postgresql.auto.conf" <<END
restore_command = 'cp "$log/%f" "%p"'
recovery_target_time = '$time'
recovery_target_action = 'promote'
recovery_target_timeline = 'latest'
primary_conninfo = ''
primary_slot_name = ''
END
