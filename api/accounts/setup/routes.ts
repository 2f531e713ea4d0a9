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
  { clock, config, limits }: Pick<Services, 'clock' | 'config' | 'limits'>,
  storeDefaults: StoreDefaults,
): void {
  route(
    router,
    contract.setupStatus,
    async ({ em, clientAddress }) => {
      const status = await readSetupStatus(em)
      return { ...status, ...(status.setupRequired && { currentIP: clientAddress }) }
    },
    { transaction: false },
  )

  route(
    router,
    contract.initializeSetup,
    async ({ em, body: { username, password, allowedIps }, header, clientAddress }) => {
      await limits.count('setup_ip', clientAddress)
      await checkSetup(em, { token: header(contract.SETUP_TOKEN_HEADER), production: config.production })
      const input = { username, allowedIps: readAllowedIps(allowedIps), clientAddress, now: clock.now() }
      const passwordHash = await hashPassword(password)
      await em.transactional((em) => initializeSetup(em, { ...input, passwordHash }, storeDefaults))
      return { message: 'The setup is complete.' }
    },
    { transaction: false },
  )
}
