import type { RegisterFiles } from './RegisterFiles.ts'
import { NotPublished, type Report } from './Report.ts'
import type { SeenLog } from './seenLog.ts'

/**
 * The newest checkpoint. A site that answers that it has none is believed, unless the device knows of one: by a log that it saw, or by a
 * receipt, which names the first entry.
 */
export async function readNote(
  report: Report,
  { files, genesis, seen }: { files: RegisterFiles; genesis?: string | undefined; seen?: SeenLog | null },
): Promise<string | undefined> {
  try {
    return await files.checkpoint()
  } catch (error) {
    if (!(error instanceof NotPublished)) throw error
    report.isPublished = false
    const gone = 'the site answers that it has no register'
    if (seen) report.fail('growth', `${gone}, but this device saw a log of ${seen.size} entries`, JSON.stringify(seen))
    if (genesis) report.fail('signature', `${gone}, but your receipts name its first entry, ${genesis}`)
    return undefined
  }
}
