#!/bin/sh
# Takes a full copy, once a day: base-backup.sh <folder> <url of a standby or of the primary>
#
# Together with the archived log it is restored to any later second (restore.sh). Keep as many as your time of retention, and the log from the
# oldest on: pg_archivecleanup <folder of the log> <first file that the oldest copy needs, named in its backup_label>.
set -eu
folder=$1 url=$2
target=$folder/$(date -u +%Y%m%dT%H%M%SZ)
# It has its name once it is verified, so that an interrupted or damaged one is not kept in place of a whole one. Delete those.
pg_basebackup --dbname="$url" --pgdata="$target.partial" --format=plain --wal-method=stream --checkpoint=fast --no-password
pg_verifybackup --quiet "$target.partial"
mv "$target.partial" "$target"
sync "$folder"
echo "$target"
