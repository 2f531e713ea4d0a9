import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findTool } from '#api/testing/findTool.ts'
import { runCommand } from '../bench/startProgram.ts'
import type { TargetCall } from './listTargets.ts'

/** Modules that only contact the target. The others need servers on the internet or search for other software. */
const modules =
  'backup,blindsql,cookieflags,crlf,csp,csrf,exec,file,htaccess,http_headers,methods,permanentxss,redirect,shellshock,sql,xss'

interface WapitiOptions {
  calls: readonly TargetCall[]
  headers?: Record<string, string>
  folder: string
}

interface Report {
  vulnerabilities: Record<string, { method: string; path: string; info: string; level: number; parameter: string }[]>
  anomalies: Record<string, { method: string; path: string; info: string; level: number }[]>
}

/** Scans the site and these calls with wapiti. Returns its findings. */
export async function runWapiti(url: string, { calls, headers = {}, folder }: WapitiOptions): Promise<string[]> {
  const report = path.join(folder, `wapiti-${new URL(url).port}.json`)
  await runCommand(
    findTool('wapiti'),
    [
      ['-u', `${url}/`],
      calls.filter(({ method }) => method === 'GET').flatMap((call) => ['-s', url + call.path]),
      Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ['-m', modules],
      ['-f', 'json', '-o', report],
      ['--store-session', folder, '--store-config', folder],
      [
        '--flush-session',
        '--no-bugreport',
        '-v',
        '0',
        '-S',
        'normal',
        '-d',
        '4',
        '--max-scan-time',
        '300',
        '--max-attack-time',
        '90',
      ],
    ].flat(),
  )
  const { vulnerabilities, anomalies } = JSON.parse(readFileSync(report, 'utf8')) as Report
  return Object.entries({ ...vulnerabilities, ...anomalies }).flatMap(([kind, found]) =>
    found.map(({ method, path, info }) => `${kind}: ${method} ${path}: ${info}`),
  )
}
