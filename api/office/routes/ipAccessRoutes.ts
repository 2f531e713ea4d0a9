import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/login.ts'
import { changeIpAccess, lockAllowedIps } from '../administrators/changeIpAccess.ts'
import { readIpAccess } from '../administrators/readIpAccess.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { refusal } from '#api/platform/errors.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { readAllowedIps } from '#api/accounts/setup/readAllowedIps.ts'

export function ipAccessRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { config } = services
  route(router, contract.getIpAccess, ({ em, clientAddress }) => readIpAccess(em, config, clientAddress))

  routeDecision(router, services, contract.setIpAccess, {
    // A list can shut the other administrators out.
    isProvenAlone: true,
    // A first list and a shorter one protect. An address that is added lets somebody in, also where it replaces another.
    async needsSecond({ em, body }) {
      const allowed = await lockAllowedIps(em)
      return allowed !== null && readAllowedIps(body.allowedIPs).some((address) => !allowed.includes(address))
    },
    async execute({ em, actor, body, clientAddress }) {
      const allowedIps = readAllowedIps(body.allowedIPs)
      if (allowedIps.length < body.allowedIPs.length)
        throw refusal(400, 'invalid_request', 'The list contains an IP address twice.')
      const { maxIPs } = await readIpAccess(em, config, clientAddress)
      if (allowedIps.length > maxIPs) throw refusal(400, 'invalid_request', `At most ${maxIPs} IP addresses can be allowed.`)
      await changeIpAccess(em, { allowedIps, replaces: body.replaces, actor: `admin:${actor.name}`, clientAddress })
      return { ...(await readIpAccess(em, config, clientAddress)), message: 'The allowed IP addresses are saved.' }
    },
  })

  routeDecision(router, services, contract.clearIpAccess, async ({ em, actor, body: { replaces }, clientAddress }) => {
    await changeIpAccess(em, { allowedIps: null, replaces, actor: `admin:${actor.name}`, clientAddress })
    return { ...(await readIpAccess(em, config, clientAddress)), message: 'All IP restrictions are removed.' }
  })
}
