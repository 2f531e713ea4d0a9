import type Router from '@koa/router'
import * as contract from '#shared/contract/setup.ts'
import { route } from '#api/platform/http/route.ts'
import { hashPassword } from '../identity/hashPassword.ts'
import type { Services } from '#api/platform/services.ts'
import { checkSetup } from './checkSetup.ts'
import { initializeSetup, type StoreDefaults } from './initializeSetup.ts'
import { readAllowedIps } from './readAllowedIps.ts'
import { readSetupStatus } from './readSetupStatus.ts'

export function setupRoutes(
  router: Router,
  { clock, config }: Pick<Services, 'clock' | 'config'>,
  storeDefaults: StoreDefaults,
): void {
  route(router, contract.setupStatus, async ({ em, clientAddress }) => {
    const status = await readSetupStatus(em)
    return { ...status, ...(status.setupRequired && { currentIP: clientAddress }) }
  })

  route(router, contract.initializeSetup, {
    async prepare({ em, body: { password, allowedIps }, header }) {
      await checkSetup(em, { token: header(contract.SETUP_TOKEN_HEADER), isEmbedded: config.demo })
      return { allowedIps: readAllowedIps(allowedIps), passwordHash: await hashPassword(password) }
    },
    async handle({ em, body: { username }, clientAddress, prepared }) {
      await initializeSetup(em, { username, ...prepared, clientAddress, now: clock.now() }, storeDefaults)
      return { message: 'The setup is complete.' }
    },
  })
}
