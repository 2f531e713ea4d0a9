import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Postgres, startPostgres } from '#api/dev/startPostgres.ts'
import { onCleanup } from './onCleanup.ts'

/** Starts a primary and a replica with streaming replication, as in production. */
export async function startPair(): Promise<{ primary: Postgres; replica: Postgres }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'replica-'))
  onCleanup(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o711)
  const [dataDir, copy] = [path.join(folder, 'primary'), path.join(folder, 'replica')]
  await (await startPostgres({ dataDir, unsafe: true })).stop()
  // Preserves owners and permissions.
  execFileSync('cp', ['-a', dataDir, copy])
  const primary = await startPostgres({ dataDir, unsafe: true })
  onCleanup(() => primary.stop())
  writeFileSync(path.join(copy, 'standby.signal'), '')
  appendFileSync(path.join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${primary.url}'\n`)
  const replica = await startPostgres({ dataDir: copy, unsafe: true })
  onCleanup(() => replica.stop())
  return { primary, replica }
}
