import { z } from 'zod'
import { address } from '../wire/address.ts'
import { endpoint } from './endpoint.ts'

/** Embedded chains only: test USDT, BNB and XP for any address. */
export const fundDemoWallet = endpoint({
  method: 'POST',
  path: '/api/demo/fund',
  access: 'public',
  limit: 'demo_ip',
  body: z.object({ address }),
  response: z.object({}),
})

/** Embedded chains only: advances the product clock by at most 31 days per call. */
export const advanceDemoClock = endpoint({
  method: 'POST',
  path: '/api/demo/clock',
  access: 'public',
  limit: 'demo_ip',
  body: z.object({
    advanceHours: z
      .number()
      .positive('The clock only moves forward.')
      .max(31 * 24, 'At most 31 days a call.'),
  }),
  response: z.object({}),
})
