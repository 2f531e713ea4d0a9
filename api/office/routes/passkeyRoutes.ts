import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/passkeys.ts'
import { describeDevice } from '#api/accounts/devices/describeDevice.ts'
import { listPasskeys } from '#api/accounts/passkeys/listPasskeys.ts'
import { offerPasskeys } from '#api/accounts/passkeys/offerPasskeys.ts'
import { beginRegistration } from '#api/accounts/passkeys/registerPasskey.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { addAdministratorPasskey, removeAdministratorPasskey } from '../administrators/changePasskeys.ts'
import { isCodeNewerThanSession, readSecondFactors } from '../administrators/readSecondFactors.ts'
import { confirmByProof } from '../administrators/confirmByProof.ts'

export function passkeyRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, config } = services
  const { recognize, prepare, confirm } = confirmByProof(services)

  route(router, contract.listAdminPasskeys, async ({ em, actor: { id }, session }) => ({
    passkeys: await listPasskeys(em, { realm: 'admin', id }),
    factors: (await readSecondFactors(em, id)).factors,
    needsPassword: await isCodeNewerThanSession(em, { administratorId: id, sessionKey: session.key() }),
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
      const refused = await confirm(request)
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
        (await confirm(request)) ??
        (await removeAdministratorPasskey(em, { administrator: actor, passkeyId: params.id, clientAddress }))
      return refused ?? { message: 'The passkey is removed.' }
    },
  })
}
