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

/** Number of blocks before the last audited one that are read again, in case a final block was reorganized. */
const OVERLAP = 1_000n

export interface DepositAudit {
  findings: Finding[]
  /** One sentence for each part that could not be compared. */
  unread: string[]
  /** The last block that was compared with enough hosts; undefined if there was nothing to compare. */
  upTo: bigint | undefined
}

interface Options {
  /** The first block whose payments are read. */
  startBlock: bigint
  /** Compares every block since the start block. The default is the blocks since the last daily audit and `OVERLAP` before it. */
  all?: boolean
}

/**
 * Compares the deposits with the payment chain: on every host, each transfer to a deposit address in the verified blocks is one row, and
 * each row with a block is one transfer. A difference that only some hosts show is reported with their names.
 *
 * @throws {DepositsUnread} if there is something to compare and no host answers.
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
      // Rows are read after the chain, so transfers of these blocks are already stored.
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

/** Returns the hosts that answer and are not far behind the others. @throws {DepositsUnread} if none answers. */
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
  // The second-highest block counts: a single host that claims to be far ahead must not exclude the others.
  const finals = answers.map(({ final }) => final).toSorted((a, b) => Number(b - a))
  const reached = finals[Math.min(1, finals.length - 1)]!
  const isBehind = ({ final }: PresentWitness) => final < reached - OVERLAP
  unread.push(...answers.filter(isBehind).map(({ witness, final }) => `${witness.host} is behind, at block ${final}`))
  return { present: answers.filter((answer) => !isBehind(answer)), unread }
}

/** Describes why a host did not answer. @throws any other error unchanged. */
function silenceOf({ host }: DepositWitness, error: unknown): string {
  if (!(error instanceof ChainUnavailable)) throw error
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  return `${host} does not answer (${reason})`
}

/** A difference on every host is an error in the rows. A difference on some hosts is reported with their names. */
function nameHosts(told: ReadonlyMap<string, string[]>): string[] {
  const hostsOf = new Map<string, string[]>()
  for (const [host, differences] of told)
    for (const difference of differences) hostsOf.set(difference, [...(hostsOf.get(difference) ?? []), host])
  return [...hostsOf].map(([difference, hosts]) =>
    hosts.length === told.size ? difference : `${hosts.join(', ')} differs from the other endpoints: ${difference}`,
  )
}
