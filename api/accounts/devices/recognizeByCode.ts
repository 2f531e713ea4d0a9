import type { EntityManager } from '@mikro-orm/postgresql'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import type { Actor } from '#api/platform/http/sessionStore.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'
import { countedAs, findKnownDevice } from './knownDevices.ts'

export interface Caller {
  em: EntityManager
  actor: Actor
  session: RequestSession
}

/**
 * A browser that has shown a code of the authenticator has its own counter; all others of the account share one (money.md 34).
 */
export const recognizeByCode =
  (realm: SessionRealm) =>
  async ({ em, actor: { id, name }, session }: Caller) => {
    const device = await findKnownDevice(em, { realm, name, browserToken: session.heldBrowserToken() })
    return { device, countedAs: countedAs(device?.hasShownCode ? device : undefined, id) }
  }
