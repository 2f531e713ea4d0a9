import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/admin/passkeys.ts'
import { describeDevice } from '#api/accounts/devices/describeDevice.ts'
import { findKnownDevice } from '#api/accounts/devices/knownDevices.ts'
import { recognizeByCode } from '#api/accounts/devices/recognizeByCode.ts'
import { listPasskeys } from '#api/accounts/passkeys/listPasskeys.ts'
import { offerPasskeys } from '#api/accounts/passkeys/offerPasskeys.ts'
import { beginRegistration } from '#api/accounts/passkeys/registerPasskey.ts'
import { type Request, route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { auditFailedLogin } from '../administrators/auditFailedLogin.ts'
import { addAdministratorPasskey, removeAdministratorPasskey } from '../administrators/changePasskeys.ts'
import { checkAdministratorPassword } from '../administrators/checkAdministratorPassword.ts'
import { checkProof } from '../administrators/checkProof.ts'
import { readSecondFactors } from '../administrators/readSecondFactors.ts'

type Confirmed = Pick<Request<typeof contract.beginAdminPasskey>, 'em' | 'actor' | 'session' | 'body' | 'clientAddress'>

const recognize = recognizeByCode('admin')

export function passkeyRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, config, limits } = services

  /** Checks a password before the transaction, because that is slow. @throws 400 `invalid_credentials`. */
  async function prepare({ em, actor, session, body: { password }, clientAddress }: Confirmed): Promise<boolean> {
    if (password === undefined) return false
    const device = await findKnownDevice(em, { realm: 'admin', name: actor.name, browserToken: session.heldBrowserToken() })
    await checkAdministratorPassword(em, limits, { username: actor.name, password, device }, 'The password is incorrect.').catch(
      async (error: unknown) => {
        await em.transactional(async (em) => auditFailedLogin(em, { username: actor.name, clientAddress, error }))
        throw error
      },
    )
    return true
  }

  const confirm = (
    em: EntityManager,
    { actor, session, body, clientAddress, device, prepared }: Confirmed & Recognized & { prepared: boolean },
  ) => {
    const { token, passkey } = body
    const caller = { administrator: actor, sessionKey: session.key(), device, clientAddress, now: clock.now() }
    return checkProof(em, services, { ...caller, token, passkey, hasShownPassword: prepared })
  }

  route(router, contract.listAdminPasskeys, async ({ em, actor: { id } }) => ({
    passkeys: await listPasskeys(em, { realm: 'admin', id }),
    factors: (await readSecondFactors(em, id)).factors,
  }))

  route(router, contract.beginAdminProof, ({ em, actor, session }) =>
    offerPasskeys(em, config, {
      realm: 'admin',
      purpose: 'confirm',
      accountId: actor.id,
      sessionKey: session.key(),
      now: clock.now(),
    }),
  )

  route(router, contract.beginAdminPasskey, {
    recognize,
    prepare,
    async handle(request) {
      const { em, actor, session } = request
      const refused = await confirm(em, request)
      if (refused) return refused
      return beginRegistration(em, config, {
        owner: { realm: 'admin', id: actor.id },
        accountName: `${actor.name} (${config.BRAND_NAME} admin)`,
        // The password names the account. Discoverable ones would be offered to buyers who share the browser.
        isDiscoverable: false,
        sessionKey: session.key(),
        now: clock.now(),
      })
    },
  })

  route(router, contract.addAdminPasskey, ({ em, actor, session, body, header, clientAddress }) => {
    const name = body.name || describeDevice(header('user-agent'))
    const caller = { administrator: actor, sessionKey: session.key(), clientAddress, now: clock.now() }
    return addAdministratorPasskey(em, services, { ...caller, name, passkey: body.passkey })
  })

  route(router, contract.removeAdminPasskey, {
    recognize,
    prepare,
    async handle(request) {
      const { em, actor, params, clientAddress } = request
      const refused =
        (await confirm(em, request)) ??
        (await removeAdministratorPasskey(em, { administrator: actor, passkeyId: params.id, clientAddress }))
      return refused ?? { message: 'The passkey is removed.' }
    },
  })
}

type Recognized = Awaited<ReturnType<typeof recognize>>
