import { z } from 'zod'
import { address } from '../address.ts'
import { instant } from '../dates.ts'
import { amount } from '../amount.ts'
import { endpoint } from './endpoint.ts'

/** The settings an administrator changes, in the order in which they are listed. Values are strings. */
export const settingKeys = [
  'sales_enabled',
  'server_notice_enabled',
  'sales_start_date',
  'withdrawal_fee_amount',
  'fee_recipient_address',
  'node_price_usdt',
  'xcr_per_node_daily',
] as const
export type SettingKey = (typeof settingKeys)[number]

/** What a fresh installation starts with. */
export const settingDefaults: Record<SettingKey, string> = {
  sales_enabled: 'true',
  server_notice_enabled: 'false',
  sales_start_date: '',
  withdrawal_fee_amount: '5',
  fee_recipient_address: '',
  node_price_usdt: '3',
  xcr_per_node_daily: '10',
}

export const listSystemSettings = endpoint({
  method: 'GET',
  path: '/api/system-settings',
  access: 'public',
  response: z.array(z.object({ key: z.enum(settingKeys), value: z.string() })),
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
    provider: z.enum(['altcha', 'turnstile']),
    siteKey: z.string().optional(),
    scriptUrl: z.string().optional(),
  }),
  walletConnectProjectId: z.string().optional(),
})
export type PublicConfig = z.output<typeof publicConfig>

export const getConfig = endpoint({ method: 'GET', path: '/api/config', access: 'public', response: publicConfig })
