import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/access.ts'
import { changeIpAccess } from '../administrators/changeIpAccess.ts'
import { readIpAccess } from '../administrators/readIpAccess.ts'
import { refusal } from '#api/platform/errors.ts'
import { route } from '#api/platform/http/route.ts'
import { readAllowedIps } from '#api/accounts/setup/readAllowedIps.ts'

export function ipAccessRoutes(router: Router): void {
  route(router, contract.getIpAccess, ({ em, clientAddress }) => readIpAccess(em, clientAddress))

  route(router, contract.setIpAccess, async ({ em, actor, body, clientAddress }) => {
    const allowedIps = readAllowedIps(body.allowedIPs)
    if (allowedIps.length < body.allowedIPs.length)
      throw refusal(400, 'invalid_request', 'The list contains an IP address twice.')
    await changeIpAccess(em, { allowedIps, actor: `admin:${actor.name}`, clientAddress })
    return { ...(await readIpAccess(em, clientAddress)), message: 'The allowed IP addresses are saved.' }
  })

  route(router, contract.clearIpAccess, async ({ em, actor, clientAddress }) => {
    await changeIpAccess(em, { allowedIps: null, actor: `admin:${actor.name}`, clientAddress })
    return { ...(await readIpAccess(em, clientAddress)), message: 'All IP restrictions are removed.' }
  })
}
