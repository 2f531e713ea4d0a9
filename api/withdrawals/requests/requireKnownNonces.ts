import type { EntityManager } from '@mikro-orm/postgresql'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { countNonces } from '../payoutWallets/countNonces.ts'
import type { DomainError } from '#api/platform/errors.ts'
import * as refuse from './errors.ts'

export interface NonceCheck extends Pick<Services, 'config'> {
  endpoints: readonly RpcEndpoint[]
  refusal?: () => DomainError
}

/**
 * Checks that the chain has no transaction of a payout wallet that the database does not know. After a restore, a withdrawal that is
 * open here may have been paid, and the worker may not have stopped payouts yet (money.md 26).
 *
 * @param refusal the answer if it has one.
 * @throws 409 `refusal`; 503 `chain_unavailable` while no endpoint answers.
 */
export async function requireKnownNonces(
  em: EntityManager,
  { config, endpoints, refusal = refuse.payoutsStopped }: NonceCheck,
): Promise<void> {
  const { address } = await createPayoutAccount({
    privateKey: config.PAYOUT_PRIVATE_KEY,
    chainId: REWARD_CHAIN_ID,
    token: config.XCR_TOKEN_ADDRESS,
  })
  const rows = await query(em).selectFrom('payout_wallets').select('address').execute()
  for (const wallet of new Set([address, ...rows.map((row) => row.address)])) {
    // Read before the row, whose count the worker raises before it sends. One endpoint that knows a transaction is sufficient.
    const counts = await Promise.allSettled(
      endpoints.flatMap((endpoint) => (['latest', 'pending'] as const).map((block) => countNonces(endpoint, wallet, block))),
    )
    const used = counts.flatMap((count) => (count.status === 'fulfilled' ? [count.value] : []))
    if (used.length === 0) throw refuse.payoutsUnknown()
    const row = await query(em).selectFrom('payout_wallets').select('nextNonce').where('address', '=', wallet).executeTakeFirst()
    if (Math.max(...used) > (row?.nextNonce ?? 0)) throw refusal()
  }
}
