import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Services } from '#api/platform/services.ts'
import { findForeignAnchor } from './checkAnchors.ts'
import { resumePublication, whyStopped } from './registerState.ts'

interface Outcome {
  /** Whether the register publishes. */
  isResumed: boolean
  text: string
}

/** Compares all anchored roots with the log, and ends the stop of publication if they agree. */
export async function resumeRegister(
  services: Pick<Services, 'config' | 'orm'>,
  { endpoints, actor }: { endpoints: readonly RpcEndpoint[]; actor: string },
): Promise<Outcome> {
  const because = await findForeignAnchor(services, endpoints)
  if (because !== undefined) return { isResumed: false, text: because }
  return services.orm.em.fork().transactional(async (em) => {
    const before = await whyStopped(em)
    if (before === null) return { isResumed: true, text: 'Every anchored root is one of the register. It was not stopped.' }
    await resumePublication(em)
    recordAudit(em, { actor, action: 'register.resume', before: { stoppedBecause: before } })
    return { isResumed: true, text: 'Every anchored root is one of the register. It publishes again.' }
  })
}
