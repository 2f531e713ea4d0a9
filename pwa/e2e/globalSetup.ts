import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** The browser is unpacked once, rather than by every file of tests at the same moment. */
export default function globalSetup(): void {
  const file = path.join(import.meta.dirname, 'chromePath.ts')
  execFileSync(process.execPath, ['--input-type=module', '--eval', `await (await import('${file}')).chromePath()`])
}
