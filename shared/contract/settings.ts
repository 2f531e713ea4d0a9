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
  response: z.array(z.object({ key: openEnum(settingKeys), value: z.string() })),
})

export const getNodeSettings = endpoint({
  method: 'GET',
  path: '/api/settings/nodes',
  access: 'public',
  response: z.object({ nodePrice: amount, totalLimit: z.int() }),
})

const chain = z.object({
  chainId: z.int(),
  name: z.string(),
  rpcUrls: z.array(z.string()),
  explorerUrl: z.string(),
})

/** What the client must know and is never built in. */
export const publicConfig = z.object({
  brandName: z.string(),
  supportEmail: z.string(),
  /** Who sells, and where the terms stand; whatever is not configured is absent. */
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
  /** Null while none is configured: nothing can be bought then. */
  depositAddress: address.nullable(),
  /** Real time. */
  serverTime: instant,
  /** The time by which sales open and rewards are paid; differs from serverTime in a demo only. */
  productTime: instant,
  /** Both chains are the embedded ones: a demo wallet and `/api/demo/*` exist. */
  demo: z.boolean(),
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

export const getConfig = endpoint({ method: 'GET', path: '/api/config', access: 'public', response: publicConfig })
