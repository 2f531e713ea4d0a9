import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** Unpacks the browser once instead of in every test file at the same time. */
export default function globalSetup(): void {
  const file = path.join(import.meta.dirname, 'chromePath.ts')
  execFileSync(process.execPath, ['--input-type=module', '--eval', `await (await import('${file}')).chromePath()`])
}
