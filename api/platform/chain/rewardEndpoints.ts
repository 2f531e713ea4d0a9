import { TOKEN_DECIMALS } from '#shared/amount.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import type { Config } from '../config.ts'
import { RpcEndpoint } from './RpcEndpoint.ts'

export const rewardEndpoints = (config: Pick<Config, 'XCR_RPC_URLS' | 'XCR_TOKEN_ADDRESS'>): RpcEndpoint[] =>
  config.XCR_RPC_URLS.map(
    (url) =>
      new RpcEndpoint(
        url,
        { chainId: REWARD_CHAIN_ID, token: { address: config.XCR_TOKEN_ADDRESS, decimals: TOKEN_DECIMALS } },
        { batch: 16 },
      ),
  )
