import type Router from '@koa/router'
import * as contract from '#shared/contract/register.ts'
import { changeProofKey, showProofKeys } from '#api/accounts/proofs/showProofKeys.ts'
import { recognizeByCode } from '#api/accounts/devices/recognizeByCode.ts'
import { refusal } from '#api/platform/errors.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { findRegisterDays } from './findRegisterDays.ts'
import { listReceipts } from './listReceipts.ts'
import { readAccountDay } from './readAccountDay.ts'

/** What an account's own page gets of the register. Everything else is public. */
export function registerAccountRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs'>): void {
  const { clock, config } = services
  const requireRegister = () => {
    if (!config.register) throw refusal(404, 'not_found', 'There is no public register here.')
  }
  const recognize = recognizeByCode('user')

  route(router, contract.showProofKeys, {
    recognize,
    handle({ em, actor, session, clientAddress }) {
      requireRegister()
      const request = { user: ownerOf(actor), sessionKey: session.key(), clientAddress, now: clock.now() }
      return showProofKeys(em, services, request)
    },
  })

  route(router, contract.changeProofKey, {
    recognize,
    handle({ em, actor, session, clientAddress }) {
      requireRegister()
      const request = { user: ownerOf(actor), sessionKey: session.key(), clientAddress, now: clock.now() }
      return changeProofKey(em, services, request)
    },
  })

  route(router, contract.findRegisterDays, ({ em }) => {
    requireRegister()
    return findRegisterDays(em)
  })

  route(router, contract.readRegisterDay, async ({ em, actor, params: { day }, query: { after } }) => {
    requireRegister()
    const seen = await readAccountDay(em, config, { userId: actor.id, day, after })
    if (!seen) throw refusal(404, 'not_found', 'This day is not in the register.')
    return seen
  })

  route(router, contract.listReceipts, ({ em, actor, query: { after } }) => {
    requireRegister()
    return listReceipts(em, { userId: actor.id, after })
  })
}
