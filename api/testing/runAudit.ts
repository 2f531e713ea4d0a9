import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Environment } from '#api/platform/config.ts'

const folder = path.join(import.meta.dirname, '../integrity')

/** Runs `npm run audit` on a database. With an empty URL it uses the embedded database of the data folder. */
export async function runAudit(
  url: string,
  env: Environment = {},
  ...options: readonly '--all'[]
): Promise<{ code: number; output: string }> {
  const audit = spawn(process.execPath, ['audit.ts', ...options], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: url, DATA_DIR: path.join(folder, 'nothing-here'), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  audit.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(audit, 'close')) as [number]
  return { code, output }
}
