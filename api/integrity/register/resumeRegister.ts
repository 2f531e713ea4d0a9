import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Services } from '#api/platform/services.ts'
import { findForeignAnchor } from './checkAnchors.ts'
import { readRestoredSize, resumePublication, whyStopped } from './registerState.ts'

interface Outcome {
  /** Whether the register publishes. */
  isResumed: boolean
  text: string
}

/**
 * Compares all anchored roots with the log, and ends the stop of publication if they agree.
 *
 * @param options.knownSize the number of entries of the newest checkpoint that anybody has: a restored dump needs it, and lacks none if it has
 * as many.
 */
export async function resumeRegister(
  services: Pick<Services, 'config' | 'orm'>,
  { endpoints, actor, knownSize }: { endpoints: readonly RpcEndpoint[]; actor: string; knownSize?: number | undefined },
): Promise<Outcome> {
  const because = await findForeignAnchor(services, endpoints)
  if (because !== undefined) return { isResumed: false, text: because }
  return services.orm.em.fork().transactional(async (em) => {
    const restoredSize = await readRestoredSize(em)
    const doubt = restoredSize === undefined ? undefined : describeDoubt(restoredSize, knownSize)
    if (doubt !== undefined) return { isResumed: false, text: doubt }
    const before = await whyStopped(em)
    if (before === null && restoredSize === undefined)
      return { isResumed: true, text: 'Every anchored root is one of the register. It was not stopped.' }
    await resumePublication(em)
    recordAudit(em, {
      actor,
      action: 'register.resume',
      before: { stoppedBecause: before },
      after: { knownSize: knownSize ?? null },
    })
    return { isResumed: true, text: 'Every anchored root is one of the register. It publishes again.' }
  })
}

/** Why entries after a restored dump may be lost. An anchor of all that it has does not show that nothing was published after them. */
function describeDoubt(size: number, knownSize: number | undefined): string | undefined {
  if (knownSize === undefined)
    return (
      `This database was restored from a dump, in which the register has ${size} entries, and no anchor shows that there were no more. ` +
      'Look up the newest checkpoint that anybody has, such as a copy of /register/checkpoint, whose second line is the number of entries. ' +
      'Then run `npm run admin -- resume-register <number>`.'
    )
  if (knownSize <= size) return undefined
  return `This database has ${size} entries of the register, and ${knownSize} were published. Restore a newer backup, or begin a new register.`
}
