import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
