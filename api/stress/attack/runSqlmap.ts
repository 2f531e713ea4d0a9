import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { findTool } from '#api/testing/findTool.ts'
import { runCommand } from '../bench/startProgram.ts'
import type { TargetCall } from './listTargets.ts'

interface SqlmapOptions {
  calls: readonly TargetCall[]
  headers?: Record<string, string>
  /** For the output of sqlmap. */
  folder: string
}

/** Tests every parameter of these calls with sqlmap. Returns the injectable ones. */
export async function runSqlmap(url: string, { calls, headers = {}, folder }: SqlmapOptions): Promise<string[]> {
  const line = '='.repeat(54)
  const log = calls.map(({ method, path, body }) =>
    [
      line,
      `12:00:00 AM  ${url}  [127.0.0.1]`,
      line,
      `${method} ${path} HTTP/1.1`,
      `Host: ${new URL(url).host}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
      '',
      body ?? '',
      line,
      '',
    ].join('\n'),
  )
  const requests = path.join(folder, 'requests.log')
  writeFileSync(requests, log.join('\n'))
  const output = await runCommand(findTool('sqlmap'), [
    '-l',
    requests,
    '--batch',
    '--ignore-stdin',
    '--flush-session',
    '--disable-coloring',
    `--output-dir=${path.join(folder, 'sqlmap')}`,
    '--level=1',
    '--risk=1',
    '--dbms=PostgreSQL',
    '--technique=BEUST',
    '--time-sec=2',
    '--threads=4',
    // Error statuses do not end a test.
    '--ignore-code=*',
  ])
  const tried = output.match(/testing URL '/g)?.length ?? 0
  if (tried === 0) throw new Error(`sqlmap tested no calls:\n${output.slice(-2_000)}`)
  console.log(`sqlmap tested ${tried} calls of ${url}.`)
  return [...output.matchAll(/^Parameter: .+$/gm), ...output.matchAll(/^.*parameter '.+' is '.+' injectable.*$/gm)].map(
    ([found]) => found,
  )
}
