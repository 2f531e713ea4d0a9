import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { ChainUnavailable } from '../chain/ChainClient.ts'
import { sql } from '../db/sql.ts'
import type { Finding } from './auditBooks.ts'
import { compareDeposits, depositsOnChain } from './checks/depositsOnChain.ts'
import type { DepositChain } from './DepositChain.ts'

/** The rows could not be compared with the payment chain. */
export class DepositsUnread extends Error {
  override name = 'DepositsUnread'
}

/** Blocks before the last audited one that are read again: what was final may have changed all the same. */
const OVERLAP = 1_000n

export interface DepositAudit {
  findings: Finding[]
  /** The last block that was compared; undefined if there was nothing to compare. */
  upTo: bigint | undefined
}

interface Options {
  /** The block from which on payments are read. */
  startBlock: bigint
  /** Compares everything since the start block; otherwise, what has come since the last daily audit, and a little before it. */
  all?: boolean
}

/**
 * Compares the deposits with the payment chain: each transfer to us in the blocks that were read for good is one row, and each row with a
 * block is one transfer there.
 *
 * @throws {DepositsUnread} if there is something to compare, and no chain that answers.
 */
export async function auditDeposits(
  em: EntityManager,
  chain: DepositChain | undefined,
  { startBlock, all = false }: Options,
): Promise<DepositAudit> {
  const [progress] = await sql<{ verified: string; audited: string | null }>(
    em,
    'select verified_number as verified, audited_number as audited from chain_progress where chain_id = $1',
    [PAYMENT_CHAIN_ID],
  )
  const verified = BigInt(progress?.verified ?? -1)
  if (verified < startBlock) return { findings: [], upTo: undefined }
  if (!chain) throw new DepositsUnread('no payment chain is configured')
  const since = all || !progress?.audited ? startBlock : BigInt(progress.audited) - OVERLAP
  const from = since > startBlock ? since : startBlock
  try {
    const final = await chain.readFinalBlock()
    const to = final < verified ? final : verified
    const rows = await sql<{ address: Address }>(em, 'select address from deposit_addresses order by address')
    const recipients = rows.map(({ address }) => address)
    const transfers = to < from ? [] : await chain.readTransfers({ recipients, from, to })
    // The rows last: what stands in these blocks was written down before.
    const differences = await em.transactional((em) => compareDeposits(em, { transfers, from, to }), {
      isolationLevel: IsolationLevel.REPEATABLE_READ,
      readOnly: true,
    })
    return { findings: [{ name: depositsOnChain, differences }], upTo: to }
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    throw new DepositsUnread(`the payment chain does not answer (${reason})`, { cause: error })
  }
}
