import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const TEMPLATE = 'create-wagmi@2.0.15'
const run = promisify(execFile)

/** Creates a wallet app from its template and builds it. @returns the build folder. */
export async function buildTemplate(workFolder: string): Promise<string> {
  await rm(workFolder, { recursive: true, force: true })
  await mkdir(workFolder, { recursive: true })
  await run('npx', ['--yes', TEMPLATE, 'wallet-app', '--template', 'vite-react'], { cwd: workFolder })
  const app = path.join(workFolder, 'wallet-app')
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: app })
  await run('npx', ['vite', 'build'], { cwd: app, env: { ...process.env, NODE_ENV: 'production' } })
  return path.join(app, 'dist')
}
