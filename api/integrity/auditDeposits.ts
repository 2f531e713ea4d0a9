import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Finding, OnProgress } from './auditDatabase.ts'
import { compareDeposits, depositsOnChain } from './checks/depositsOnChain.ts'
import { compareRefunds, refundsOnChain } from './checks/refundsOnChain.ts'
import type { DepositChain, DepositHost } from './DepositChain.ts'

/** The rows could not be compared with the payment chain. */
export class DepositsUnread extends Error {
  override name = 'DepositsUnread'
}

/** Number of blocks before the last audited one that are read again, in case a final block was reorganized. */
const OVERLAP = 1_000n

/** A host is left out if its final block is more blocks behind that of the others. */
const MAX_LAG = 1_000n

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
  onProgress?: OnProgress
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
  { startBlock, all = false, onProgress }: Options,
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
  const { available, unread } = await findAvailableHosts(chain)
  const to = [verified, ...available.map(({ final }) => final)].reduce((a, b) => (a < b ? a : b))
  const rows = await sql<{ address: Address }>(em, 'select address from deposit_addresses order by address')
  const recipients = rows.map(({ address }) => address)
  const differencesByHost = new Map<string, string[]>()
  for (const { host } of available) {
    try {
      const differences: string[] = []
      for await (const part of host.readTransfers({ recipients, from, to })) {
        onProgress?.(`Reading the deposits at ${host.name}`, Number(part.to - from + 1n), Number(to - from + 1n))
        // Rows are read after the chain, so transfers of these blocks are already stored.
        const found = await em.transactional((em) => compareDeposits(em, part), {
          isolationLevel: IsolationLevel.REPEATABLE_READ,
          readOnly: true,
        })
        differences.push(...found)
      }
      differencesByHost.set(host.name, differences)
    } catch (error) {
      unread.push(describeFailure(host, error))
    }
  }
  if (differencesByHost.size === 0) throw new DepositsUnread(unread.join(', '))
  const refunds = await compareRefunds(em, chain, { all })
  return {
    findings: [
      { name: depositsOnChain, differences: mergeDifferences(differencesByHost) },
      { name: refundsOnChain, differences: refunds.differences },
    ],
    unread: [...unread.map((reason) => `Deposits were compared without an endpoint: ${reason}`), ...refunds.unread],
    upTo: differencesByHost.size >= Math.min(2, chain.hosts.length) ? to : undefined,
  }
}

interface AvailableHost {
  host: DepositHost
  final: bigint
}

/** Returns the hosts that answer and are not far behind the others. @throws {DepositsUnread} if none answers. */
async function findAvailableHosts({ hosts }: DepositChain): Promise<{ available: AvailableHost[]; unread: string[] }> {
  const unread: string[] = []
  const answers: AvailableHost[] = []
  for (const host of hosts) {
    try {
      answers.push({ host, final: await host.readFinalBlock() })
    } catch (error) {
      unread.push(describeFailure(host, error))
    }
  }
  if (answers.length === 0) throw new DepositsUnread(unread.join(', '))
  // The second-highest block counts: a single host that claims to be far ahead must not exclude the others.
  const finals = answers.map(({ final }) => final).toSorted((a, b) => Number(b - a))
  const reached = finals[Math.min(1, finals.length - 1)]!
  const isBehind = ({ final }: AvailableHost) => final < reached - MAX_LAG
  unread.push(...answers.filter(isBehind).map(({ host, final }) => `${host.name} is behind, at block ${final}`))
  return { available: answers.filter((answer) => !isBehind(answer)), unread }
}

/** Describes why a host did not answer. @throws any other error unchanged. */
function describeFailure({ name }: DepositHost, error: unknown): string {
  if (!(error instanceof ChainUnavailable)) throw error
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  return `${name} does not answer (${reason})`
}

/** A difference on every host is an error in the rows. A difference on some hosts is reported with their names. */
function mergeDifferences(differencesByHost: ReadonlyMap<string, string[]>): string[] {
  const hostsOf = new Map<string, string[]>()
  for (const [host, differences] of differencesByHost)
    for (const difference of differences) hostsOf.set(difference, [...(hostsOf.get(difference) ?? []), host])
  return [...hostsOf].map(([difference, hosts]) =>
    hosts.length === differencesByHost.size ? difference : `${hosts.join(', ')} differs from the other endpoints: ${difference}`,
  )
}
