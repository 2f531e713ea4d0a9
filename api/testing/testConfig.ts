import { type Config, type Environment, readConfig } from '#api/platform/config.ts'

/** Switches the public register on in `testConfig`. */
export const REGISTER_ON = {
  REGISTER: 'on',
  REGISTER_SIGNING_KEY: '44'.repeat(32),
  RECEIPT_SIGNING_KEY: '55'.repeat(32),
} as const satisfies Environment

/** Switches push messages on in `testConfig`. */
export const PUSH_ON = { PUSH: 'on', VAPID_PRIVATE_KEY: '66'.repeat(32) } as const satisfies Environment

/** A complete configuration for tests, without the public register and push messages. All endpoints are unreachable except those that the test sets. */
export function testConfig(env: Environment & { DATABASE_URL: string }): Config {
  return readConfig(
    {
      ENCRYPTION_KEY: '11'.repeat(32),
      SMTP_URL: 'smtp://127.0.0.1:9',
      BSC_RPC_URLS: 'http://127.0.0.1:9',
      XCR_RPC_URLS: 'http://127.0.0.1:9',
      DEPOSIT_ADDRESS: '0x00000000000000000000000000000000000de705',
      XCR_TOKEN_ADDRESS: '0x0000000000000000000000000000000000000c12',
      PAYOUT_PRIVATE_KEY: '22'.repeat(32),
      PAYMENT_CONFIRMATIONS: '3',
      REGISTER: 'off',
      PUSH: 'off',
      ...env,
    },
    { demo: true },
  )
}
