import { TOKEN_DECIMALS } from '#shared/amount.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Config } from '../config.ts'
import { RpcEndpoint } from './RpcEndpoint.ts'

export const paymentEndpoints = (config: Pick<Config, 'BSC_RPC_URLS' | 'USDT_ADDRESS'>): RpcEndpoint[] =>
  config.BSC_RPC_URLS.map(
    (url) =>
      new RpcEndpoint(url, { chainId: PAYMENT_CHAIN_ID, token: { address: config.USDT_ADDRESS, decimals: TOKEN_DECIMALS } }),
  )
