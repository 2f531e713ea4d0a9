import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const deploy = path.join(import.meta.dirname, 'deploy')

/** The settings of one key in each unit, without those of the one that only migrates. */
const readUnits = (key: string) =>
  globSync('systemd/*.service', { cwd: deploy })
    .filter((file) => !file.includes('migrate'))
    .map((file) => new RegExp(`^${key}=(.*)$`, 'm').exec(readFileSync(path.join(deploy, file), 'utf8'))?.[1] ?? '')

test('the units of systemd have a port of their own for operators, and start again for as long as the database is away', () => {
  const ports = readUnits('Environment').map((line) => /HEALTH_PORT=(\S+)/.exec(line)?.[1])
  expect(ports).not.toContain(undefined)
  expect(new Set(ports).size).toBe(ports.length)
  expect(new Set(readUnits('StartLimitIntervalSec'))).toEqual(new Set(['0']))
})

test('the website of the units is reached through the proxy of its machine only', () => {
  expect(readUnits('Environment').filter((line) => line.includes(' PORT='))).toEqual([
    expect.stringContaining('LISTEN_ADDRESS=127.0.0.1'),
  ])
})

test('a script of the new release is found while another process still is of the old one, and others are asked once', () => {
  const proxy = readFileSync(path.join(deploy, 'nginx/xcr-proxy.conf'), 'utf8')
  const [, assets] = /^location \/assets\/ {([^}]*)}/m.exec(proxy) ?? []
  expect(assets).toMatch(/proxy_next_upstream error timeout http_404;[^]*proxy_pass http:\/\/xcr_web;/)
  expect(proxy.match(/http_404/g)).toHaveLength(1)
})

test('event streams go to the same processes as all other requests', () => {
  const upstreams = [...readFileSync(path.join(deploy, 'nginx/xcr.conf'), 'utf8').matchAll(/^upstream [^]*?^}/gm)]
  const servers = upstreams.map(([upstream]) => upstream.match(/^ *server .*$/gm))
  expect(servers).toHaveLength(2)
  expect(servers[1]).toEqual(servers[0])
})

test('while no process answers, the proxy says what the program says, and promises nothing of a change without a key', () => {
  const proxy = readFileSync(path.join(deploy, 'nginx/xcr-proxy.conf'), 'utf8')
  const [, away = ''] = /^location @away {([^]*?)^}/m.exec(proxy) ?? []
  const [reading, changing, changingWithKey] = [...away.matchAll(/set \$answer "(.+)";/g)].map(([, text]) => text!)
  expect(reading).toMatch(/Please try again/)
  expect(changing).toMatch(/can't tell whether this was done/)
  expect(changingWithKey).toBe(reading)
  const program = readFileSync(path.join(deploy, '../../platform/http/respondWithErrors.ts'), 'utf8')
  for (const text of [reading, changing]) expect(program).toContain(text)
})

test('a restore leaves nothing in the data folder that would switch off archiving or waiting for standbys later', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [backup, target] = [path.join(folder, 'backup'), path.join(folder, 'target')]
  mkdirSync(backup)
  writeFileSync(path.join(backup, 'postgresql.auto.conf'), "work_mem = '8MB'\n")
  execFileSync('sh', [path.join(deploy, 'backup/restore.sh'), backup, path.join(folder, 'wal'), target, '2026-11-25 09:30:00+00'])
  const lines = readFileSync(path.join(target, 'postgresql.auto.conf'), 'utf8').trimEnd().split('\n')
  const names = lines.map((line) => line.split(' = ')[0])
  expect(names.filter((name) => !/^(restore_command|recovery_target_.*|primary_.*)$/.test(name!))).toEqual(['work_mem'])
})

/** Runs a script of the backup with programs of its own in front of the real ones, given by the lines of their scripts. */
function runBackup(script: string, programs: Record<string, string>, args: (folder: string) => string[]) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'backup-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const [folder, bin] = [path.join(home, 'folder'), path.join(home, 'bin')]
  for (const made of [folder, bin]) mkdirSync(made)
  for (const [name, lines] of Object.entries(programs))
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  const run = () =>
    spawnSync('sh', [path.join(deploy, 'backup', script), ...args(folder)], {
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, LOG: path.join(home, 'log') },
      encoding: 'utf8',
    })
  return { home, folder, run }
}

const COPY =
  'for one in "$@"; do case $one in --pgdata=*) mkdir "${one#--pgdata=}"; touch "${one#--pgdata=}/backup_label"; esac; done'

test.each([
  ['is damaged', { pg_basebackup: COPY, pg_verifybackup: 'exit 1' }],
  ['is interrupted', { pg_basebackup: `${COPY}; kill -9 $PPID`, pg_verifybackup: 'exit 0' }],
])('a base backup that %s does not look like one, and is not restored', (_, programs) => {
  const { folder, run } = runBackup('base-backup.sh', programs, (folder) => [folder, 'postgres://db'])
  expect(run().status).not.toBe(0)
  const [left, ...others] = readdirSync(folder)
  expect(others).toEqual([])
  expect(left).toMatch(/\.partial$/)
  const restore = runBackup('restore.sh', {}, (target) => [path.join(folder, left!), folder, target, '2026-11-25 09:30:00+00'])
  expect(restore.run()).toMatchObject({ status: 1, stderr: expect.stringContaining('is not complete') })
})

test('a verified base backup has the name of its time, which the script prints', () => {
  const programs = { pg_basebackup: COPY, pg_verifybackup: 'exit 0' }
  const { folder, run } = runBackup('base-backup.sh', programs, (folder) => [folder, 'postgres://db'])
  const { status, stdout } = run()
  expect(status).toBe(0)
  expect(readdirSync(folder)).toEqual([path.basename(stdout.trim())])
  expect(path.basename(stdout.trim())).toMatch(/^\d{8}T\d{6}Z$/)
})

test('a file of the log that cannot be copied, as to a full disk, leaves nothing that fills it further', () => {
  const programs = { cp: 'echo half > "$2"; exit 1' }
  const { folder, run } = runBackup('archive-wal.sh', programs, (folder) => [folder, path.join(deploy, 'nginx/xcr.conf'), '0001'])
  expect([run().status, run().status]).toEqual([1, 1])
  expect(readdirSync(folder)).toEqual([])
})

test('what a killed copy of a file of the log has left is replaced by the next one, and no other file', () => {
  const programs = { cp: '[ -e "$LOG.died" ] && exec /bin/cp "$@"; echo half > "$2"; touch "$LOG.died"; kill -9 $PPID' }
  const { folder, run } = runBackup('archive-wal.sh', programs, (folder) => [folder, path.join(deploy, 'nginx/xcr.conf'), '0001'])
  for (const kept of ['0001.00000028.backup', '0002']) writeFileSync(path.join(folder, kept), '')
  expect(run().signal).toBe('SIGKILL')
  expect(readdirSync(folder)).toHaveLength(3)

  expect(run().status).toBe(0)
  expect(readdirSync(folder).toSorted()).toEqual(['0001', '0001.00000028.backup', '0002'])
})

test('a file of the log is archived only once its name is on the disk, also if it was copied before', () => {
  const programs = { sync: 'echo "$1" >> "$LOG"; if [ -d "$1" ] && [ ! -e "$LOG.died" ]; then touch "$LOG.died"; exit 1; fi' }
  const { home, folder, run } = runBackup('archive-wal.sh', programs, (folder) => [
    folder,
    path.join(deploy, 'nginx/xcr.conf'),
    '0001',
  ])
  expect(run().status).toBe(1)
  expect(readdirSync(folder)).toEqual(['0001'])
  writeFileSync(path.join(home, 'log'), '')

  expect(run().status).toBe(0)

  expect(readFileSync(path.join(home, 'log'), 'utf8')).toContain(`${folder}\n`)
})
