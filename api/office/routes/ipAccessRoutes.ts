import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/access.ts'
import { changeIpAccess } from '../administrators/changeIpAccess.ts'
import { readIpAccess } from '../administrators/readIpAccess.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { refusal } from '#api/platform/errors.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { readAllowedIps } from '#api/accounts/setup/readAllowedIps.ts'

export function ipAccessRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs'>): void {
  const { config } = services
  route(router, contract.getIpAccess, ({ em, clientAddress }) => readIpAccess(em, config, clientAddress))

  route(router, contract.setIpAccess, async ({ em, actor, body, clientAddress }) => {
    const allowedIps = readAllowedIps(body.allowedIPs)
    if (allowedIps.length < body.allowedIPs.length)
      throw refusal(400, 'invalid_request', 'The list contains an IP address twice.')
    const { maxIPs } = await readIpAccess(em, config, clientAddress)
    if (allowedIps.length > maxIPs) throw refusal(400, 'invalid_request', `At most ${maxIPs} IP addresses can be allowed.`)
    await changeIpAccess(em, { allowedIps, actor: `admin:${actor.name}`, clientAddress })
    return { ...(await readIpAccess(em, config, clientAddress)), message: 'The allowed IP addresses are saved.' }
  })

  routeDecision(router, services, contract.clearIpAccess, async ({ em, actor, clientAddress }) => {
    await changeIpAccess(em, { allowedIps: null, actor: `admin:${actor.name}`, clientAddress })
    return { ...(await readIpAccess(em, config, clientAddress)), message: 'All IP restrictions are removed.' }
  })
}
