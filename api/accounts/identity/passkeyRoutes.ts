import type Router from '@koa/router'
import * as contract from '#shared/contract/passkeys.ts'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { describeDevice } from '../devices/describeDevice.ts'
import { countedAs, findBrowserUser } from '../devices/knownDevices.ts'
import { noteDevice } from '../devices/noteDevice.ts'
import { recognizeByCode } from '../devices/recognizeByCode.ts'
import { consumeStepUpMark } from '../otp/consumeStepUpMark.ts'
import { checkPasskey, findPasskeyOwner } from '../passkeys/checkPasskey.ts'
import { listPasskeys } from '../passkeys/listPasskeys.ts'
import { offerPasskeys } from '../passkeys/offerPasskeys.ts'
import { beginRegistration } from '../passkeys/registerPasskey.ts'
import { signInByPasskey } from '../passkeys/signInByPasskey.ts'
import { requireNotFrozen } from '../users/frozen.ts'
import { addUserPasskey, removeUserPasskey } from './changePasskeys.ts'
import { checkOwnPassword } from './checkOwnPassword.ts'
import { findOwnDevice } from './recognizeBrowser.ts'
import { storeLanguage } from './storeLanguage.ts'

type PasskeyServices = Pick<Services, 'clock' | 'config' | 'jobs' | 'limits' | 'orm'>

/** Passkeys of users: they log in, and nothing else. */
export function passkeyRoutes(router: Router, services: PasskeyServices): void {
  const { clock, config, limits } = services

  route(router, contract.listPasskeys, ({ em, actor }) => listPasskeys(em, { realm: 'user', id: actor.id }))

  route(router, contract.beginPasskey, {
    recognize: recognizeByCode('user'),
    async prepare({ em, actor, body: { password }, device }) {
      const { otpEnabledAt } = await query(em)
        .selectFrom('users')
        .select('otpEnabledAt')
        .where('id', '=', actor.id)
        .executeTakeFirstOrThrow()
      const needsCode = otpEnabledAt !== null
      // An attacker with a stolen session could set up an authenticator, and would keep the account with a passkey.
      if (!needsCode || otpEnabledAt.getTime() > (await clock.dueNow(em)).getTime() - DAY) {
        if (password === undefined) throw refusal(400, 'proof_required', 'Please confirm this with your password.')
        await checkOwnPassword(em, limits, { userId: actor.id, password, device })
      }
      return { needsCode }
    },
    async handle({ em, actor, session, prepared: { needsCode } }) {
      const now = clock.now()
      await requireNotFrozen(em, clock, actor.id)
      if (needsCode) await consumeStepUpMark(em, { userId: actor.id, sessionKey: session.key(), purpose: 'passkey', now })
      return beginRegistration(em, config, {
        owner: { realm: 'user', id: actor.id },
        accountName: actor.name,
        isDiscoverable: true,
        sessionKey: session.key(),
        now,
      })
    },
  })

  route(router, contract.addPasskey, ({ em, actor, session, body, header, clientAddress }) => {
    const name = body.name || describeDevice(header('user-agent'))
    const caller = { user: ownerOf(actor), sessionKey: session.key(), clientAddress, now: clock.now() }
    return addUserPasskey(em, services, { ...caller, name, passkey: body.passkey })
  })

  route(router, contract.removePasskey, async ({ em, actor, session, params, clientAddress }) => {
    const caller = { user: ownerOf(actor), sessionKey: session.key(), clientAddress, now: clock.now() }
    await removeUserPasskey(em, services, { ...caller, passkeyId: params.id })
    return { message: 'The passkey is removed.' }
  })

  passkeyLoginRoutes(router, services)
}

/** The login by a passkey, which names the account. */
function passkeyLoginRoutes(router: Router, services: PasskeyServices): void {
  const { clock, config, limits } = services

  route(router, contract.beginPasskeyLogin, {
    /** No account is named yet. The known browsers of a user share a counter, because a user can make any number of them. */
    async recognize({ em, session, clientAddress }) {
      const userId = await findBrowserUser(em, session.heldBrowserToken())
      const counter = userId === undefined ? clientAddress : `user ${userId}`
      return { counter, countedAs: counter }
    },
    // Each writes a session and a challenge, and needs no captcha.
    prepare: ({ counter }) => limits.count('passkey_options_site', counter),
    handle: ({ em, session }) =>
      offerPasskeys(em, config, {
        realm: 'user',
        purpose: 'login',
        accountId: null,
        sessionKey: session.key(),
        now: clock.now(),
      }),
  })

  route(router, contract.loginByPasskey, {
    /** A known browser of the passkey's account has its own counter, as for a login by password. */
    async recognize({ em, body, session, clientAddress }) {
      const accountId = await findPasskeyOwner(em, { realm: 'user', credentialId: body.passkey.id })
      const user =
        accountId && (await query(em).selectFrom('users').select('email').where('id', '=', accountId).executeTakeFirst())
      const device = user ? await findOwnDevice(em, user.email, session) : undefined
      return { countedAs: countedAs(device, clientAddress) }
    },
    async handle({ em, body, session, clientAddress, header, language, afterCommit }) {
      const now = clock.now()
      const scope = { realm: 'user', purpose: 'login', accountId: null, sessionKey: session.heldKey(), now } as const
      const checked = await checkPasskey(em, services, { ...scope, answer: body.passkey, clientAddress })
      if (checked instanceof DomainError) return checked
      const { sessionEpoch: epoch, ...user } = await query(em)
        .selectFrom('users')
        .select(['id', 'email', 'language', 'sessionEpoch'])
        .where('id', '=', checked.accountId)
        .executeTakeFirstOrThrow()
      const browser = { browserToken: session.browserToken(), userAgent: header('user-agent'), clientAddress }
      await noteDevice(em, services, { user, byPasskey: true, ...browser, now })
      // After the email about a new browser, which uses the language stored before this login.
      await storeLanguage(em, { user, language: language() })
      const login = { realm: 'user', id: user.id, epoch, credentialId: body.passkey.id } as const
      afterCommit(() => signInByPasskey(services, session, login))
      return { email: user.email }
    },
  })
}
