#!/bin/sh
# PostgreSQL's archive_command: archive-wal.sh <folder> %p %f
#
# Copies a finished file of the write-ahead log to the folder, which must be on another machine's disk. Succeeds only once the copy is on the
# disk, because PostgreSQL then deletes its own. A file that is already there must be the same: an old primary may archive again.
set -eu
folder=$1 file=$2 name=$3
target=$folder/$name
# PostgreSQL tries again every minute: what is left of each attempt would fill a full disk further. A killed one has left its copy.
rm -f "$target".copy-*
if [ -e "$target" ]; then
  # It may have been interrupted before the name was on the disk.
  cmp -s "$file" "$target" && sync "$folder" && exit 0
  echo "$target is there already, with other content" >&2
  exit 1
fi
copy=$target.copy-$$
trap 'rm -f "$copy"' EXIT
cp "$file" "$copy"
sync "$copy"
# Never replaces a file that another server has written meanwhile.
ln "$copy" "$target"
sync "$folder"
