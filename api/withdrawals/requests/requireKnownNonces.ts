import type { EntityManager } from '@mikro-orm/postgresql'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { readFromEachHost, votesNeeded } from '#api/platform/chain/readAgreed.ts'
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
 * @throws 409 `refusal`; 503 `chain_unavailable` while too few endpoints answer.
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
    // Read before the row, whose count the worker raises before it sends. One host that knows a transaction is sufficient to refuse; that
    // there is none takes two, if two are configured.
    const counts = await readFromEachHost(endpoints, (endpoint) =>
      Promise.all((['latest', 'pending'] as const).map((block) => countNonces(endpoint, wallet, block))),
    )
    const row = await query(em).selectFrom('payout_wallets').select('nextNonce').where('address', '=', wallet).executeTakeFirst()
    if (Math.max(...counts.flat()) > (row?.nextNonce ?? 0)) throw refusal()
    if (counts.length < votesNeeded(endpoints)) throw refuse.payoutsUnknown()
  }
}
