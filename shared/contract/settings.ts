import { z } from 'zod'
import { address } from '../wire/address.ts'
import { instant } from '../wire/instant.ts'
import { amount } from '../wire/amount.ts'
import { openEnum } from '../wire/openEnum.ts'
import { settingKeys } from '../settings.ts'
import { endpoint } from './endpoint.ts'

export const listSystemSettings = endpoint({
  method: 'GET',
  path: '/api/system-settings',
  access: 'public',
  limit: 'none',
  response: z.array(z.object({ key: openEnum(settingKeys), value: z.string() })),
})

export const getNodeSettings = endpoint({
  method: 'GET',
  path: '/api/settings/nodes',
  access: 'public',
  limit: 'none',
  response: z.object({ nodePrice: amount, totalLimit: z.int() }),
})

const chain = z.object({
  chainId: z.int(),
  name: z.string(),
  rpcUrls: z.array(z.string()),
  explorerUrl: z.string(),
})

/** Runtime configuration of the client; never built in. */
export const publicConfig = z.object({
  brandName: z.string(),
  supportEmail: z.string(),
  /** The seller and its terms; unconfigured fields are absent. */
  seller: z
    .object({
      name: z.string(),
      address: z.string(),
      termsUrl: z.string(),
      privacyUrl: z.string(),
      refundsUrl: z.string(),
      riskUrl: z.string(),
    })
    .partial()
    .optional(),
  /** Null while none is configured: purchases are then unavailable. */
  depositAddress: address.nullable(),
  /** Real time. */
  serverTime: instant,
  /** The time for sales and rewards; differs from serverTime only in a demo. */
  productTime: instant,
  /** Both chains are embedded: a demo wallet and `/api/demo/*` exist. */
  demo: z.boolean(),
  /** The public register is published, below `/register/`. */
  register: z.boolean().optional(),
  /** The key for subscriptions to push messages, base64url. Absent if there are none. */
  pushKey: z.string().optional(),
  paymentChain: chain.extend({ usdtAddress: address, usdtDecimals: z.int(), confirmations: z.int() }),
  rewardChain: chain.extend({
    tokenAddress: address,
    tokenSymbol: z.string(),
    tokenDecimals: z.int(),
    currencySymbol: z.string(),
  }),
  captcha: z.object({
    provider: openEnum(['altcha', 'turnstile']),
    siteKey: z.string().optional(),
    scriptUrl: z.string().optional(),
  }),
  walletConnectProjectId: z.string().optional(),
})
export type PublicConfig = z.output<typeof publicConfig>

export const getConfig = endpoint({ method: 'GET', path: '/api/config', access: 'public', limit: 'none', response: publicConfig })
