import type { EntityManager } from '@mikro-orm/postgresql'
import type { forgotPassword } from '#shared/contract/password.ts'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import type { Request } from '#api/platform/http/route.ts'
import { countedAs, findKnownDevice } from '../devices/knownDevices.ts'

type Stranger = Pick<Request<typeof forgotPassword>, 'em' | 'body' | 'session' | 'clientAddress'>

/** The request's browser, if the account knows it. */
export const findOwnDevice = (em: EntityManager, email: string, session: RequestSession) =>
  findKnownDevice(em, { realm: 'user', name: email, browserToken: session.heldBrowserToken() })

/** A known browser of the named account has its own counter; unknown ones are counted by network. */
export async function recognizeBrowser({ em, body, session, clientAddress }: Stranger) {
  const device = await findOwnDevice(em, body.email, session)
  return { device, countedAs: countedAs(device, clientAddress) }
}
