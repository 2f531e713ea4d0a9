import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Finding } from './auditBooks.ts'
import { compareDeposits, depositsOnChain } from './checks/depositsOnChain.ts'
import { compareRefunds, refundsOnChain } from './checks/refundsOnChain.ts'
import type { DepositChain, DepositWitness } from './DepositChain.ts'

/** The rows could not be compared with the payment chain. */
export class DepositsUnread extends Error {
  override name = 'DepositsUnread'
}

/** Blocks before the last audited one that are read again: what was final may have changed all the same. */
const OVERLAP = 1_000n

export interface DepositAudit {
  findings: Finding[]
  /** What could not be compared, in a sentence each. */
  unread: string[]
  /** The last block that enough hosts were compared up to; undefined if there was nothing to compare. */
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
 * block is one transfer there, as every host tells it. What only some of the hosts tell differently is said with their names.
 *
 * @throws {DepositsUnread} if there is something to compare, and no chain that answers.
 */
export async function auditDeposits(
  em: EntityManager,
  chain: DepositChain | undefined,
  { startBlock, all = false }: Options,
): Promise<DepositAudit> {
  const [progress] = await sql<{ verified: number; audited: number | null }>(
    em,
    'select verified_number as verified, audited_number as audited from chain_progress where chain_id = $1',
    [PAYMENT_CHAIN_ID],
  )
  const verified = BigInt(progress?.verified ?? -1)
  if (verified < startBlock) return { findings: [], unread: [], upTo: undefined }
  if (!chain) throw new DepositsUnread('no payment chain is configured')
  const since = all || !progress?.audited ? startBlock : BigInt(progress.audited) - OVERLAP
  const from = since > startBlock ? since : startBlock
  const { present, unread } = await findWitnesses(chain)
  const to = [verified, ...present.map(({ final }) => final)].reduce((a, b) => (a < b ? a : b))
  const rows = await sql<{ address: Address }>(em, 'select address from deposit_addresses order by address')
  const recipients = rows.map(({ address }) => address)
  const told = new Map<string, string[]>()
  for (const { witness } of present) {
    try {
      const transfers = to < from ? [] : await witness.readTransfers({ recipients, from, to })
      // The rows last: what stands in these blocks was written down before.
      const differences = await em.transactional((em) => compareDeposits(em, { transfers, from, to }), {
        isolationLevel: IsolationLevel.REPEATABLE_READ,
        readOnly: true,
      })
      told.set(witness.host, differences)
    } catch (error) {
      unread.push(silenceOf(witness, error))
    }
  }
  if (told.size === 0) throw new DepositsUnread(unread.join(', '))
  const refunds = await compareRefunds(em, chain, { all })
  return {
    findings: [
      { name: depositsOnChain, differences: nameHosts(told) },
      { name: refundsOnChain, differences: refunds.differences },
    ],
    unread: [...unread.map((reason) => `Deposits were compared without an endpoint: ${reason}`), ...refunds.unread],
    upTo: told.size >= Math.min(2, chain.witnesses.length) ? to : undefined,
  }
}

interface PresentWitness {
  witness: DepositWitness
  final: bigint
}

/** The hosts that answer and are not far behind the others. @throws {DepositsUnread} if none answers. */
async function findWitnesses({ witnesses }: DepositChain): Promise<{ present: PresentWitness[]; unread: string[] }> {
  const unread: string[] = []
  const answers: PresentWitness[] = []
  for (const witness of witnesses) {
    try {
      answers.push({ witness, final: await witness.readFinalBlock() })
    } catch (error) {
      unread.push(silenceOf(witness, error))
    }
  }
  if (answers.length === 0) throw new DepositsUnread(unread.join(', '))
  // A single host that is far ahead puts no other behind: it may say what it likes.
  const finals = answers.map(({ final }) => final).toSorted((a, b) => Number(b - a))
  const reached = finals[Math.min(1, finals.length - 1)]!
  const isBehind = ({ final }: PresentWitness) => final < reached - OVERLAP
  unread.push(...answers.filter(isBehind).map(({ witness, final }) => `${witness.host} is behind, at block ${final}`))
  return { present: answers.filter((answer) => !isBehind(answer)), unread }
}

/** @throws what is not the silence of a chain. */
function silenceOf({ host }: DepositWitness, error: unknown): string {
  if (!(error instanceof ChainUnavailable)) throw error
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  return `${host} does not answer (${reason})`
}

/** What every host tells differently is wrong in the rows. Where the hosts differ among themselves, they are named. */
function nameHosts(told: ReadonlyMap<string, string[]>): string[] {
  const hostsOf = new Map<string, string[]>()
  for (const [host, differences] of told)
    for (const difference of differences) hostsOf.set(difference, [...(hostsOf.get(difference) ?? []), host])
  return [...hostsOf].map(([difference, hosts]) =>
    hosts.length === told.size ? difference : `${hosts.join(', ')} differs from the other endpoints: ${difference}`,
  )
}
