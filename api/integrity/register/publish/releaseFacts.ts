import type { EntityManager } from '@mikro-orm/postgresql'
import { toBase64 } from '#shared/register/bytes.ts'
import { readRelease } from '../release.ts'
import type { Fact } from './Draft.ts'
import { readSubjects } from './readSubjects.ts'

/** The files of a release do not change while it runs. */
let release: ReturnType<typeof readRelease> | undefined

/** The hashes of what this release serves, if the log does not have them. */
export async function releaseFacts(em: EntityManager, { now }: { now: Date }): Promise<Fact[]> {
  const served = await (release ??= readRelease())
  if (!served) return []
  const { verify, page, format } = served
  const subject = `release:${[verify, page, format].map(toBase64).join(':')}`
  if ((await readSubjects(em, ['release'])).has(subject)) return []
  return [{ subject, time: now, entry: { kind: 'release', time: now, verify, page, format } }]
}
