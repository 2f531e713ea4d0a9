import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

/**
 * Bundles the server unless there is a bundle of the present sources.
 *
 * In a process of its own, because vite sets NODE_ENV for its whole process.
 */
export async function buildServer(): Promise<void> {
  await promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'bundleServer.ts')], {
    // The bundle must not depend on the environment of the caller.
    env: { ...process.env, NODE_ENV: 'production' },
  })
}
