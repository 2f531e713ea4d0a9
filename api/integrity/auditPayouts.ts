import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { sql } from '#api/platform/db/sql.ts'
import type { Finding } from './auditDatabase.ts'
import { findForeignNonces, findUnpaid, noncesOnChain, paidOnChain, readPayoutRecords } from './checks/payoutsOnChain.ts'
import type { PayoutChain } from './PayoutChain.ts'

/** The rows could not be compared with the reward chain. */
export class PayoutsUnread extends Error {
  override name = 'PayoutsUnread'
}

export const endpointsAgree = 'All endpoints of the reward chain agree about payouts'

export interface PayoutAudit {
  findings: Finding[]
  /** One sentence for each endpoint that could not be compared. */
  unread: string[]
}

/**
 * Compares payouts with each endpoint of the reward chain. A difference on all endpoints is an error in the rows; a difference on some is
 * an error of these endpoints. Finds nothing if nothing was ever paid out.
 *
 * @throws {PayoutsUnread} if there is something to compare and no endpoint answers.
 */
export async function auditPayouts(em: EntityManager, chains: readonly PayoutChain[] | undefined): Promise<PayoutAudit> {
  const wallets = await sql<{ address: Address }>(em, 'select address from payout_wallets')
  const [paid] = await sql(em, `select from withdrawals where status = 'completed' limit 1`)
  if (wallets.length === 0 && !paid) return { findings: [], unread: [] }
  if (!chains) throw new PayoutsUnread('no reward chain is configured')

  const unread: string[] = []
  const readFromEach = async <Source extends { chain: PayoutChain }, Answer>(
    sources: readonly Source[],
    read: (source: Source) => Promise<Answer>,
  ): Promise<(Source & Answer)[]> => {
    const answers = await Promise.allSettled(sources.map(async (source) => ({ ...source, ...(await read(source)) })))
    return answers.flatMap((answer, index) => {
      if (answer.status === 'fulfilled') return [answer.value]
      unread.push(answer.reason instanceof Error ? answer.reason.message : `${sources[index]!.chain.host} failed`)
      return []
    })
  }

  // The chain is read before the rows, so each of its transfers is already recorded in them.
  const seen = await readFromEach(
    chains.map((chain) => ({ chain })),
    async ({ chain }) => {
      const final = await chain.readFinalBlock()
      const sent = new Map<Address, number>()
      for (const { address } of wallets) sent.set(address, await chain.countSent(address))
      return { final, sent }
    },
  )
  const upTo = seen.reduce((least, { final }) => (final < least ? final : least), seen[0]?.final ?? 0n)
  const records = await em.transactional(readPayoutRecords, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
  const compared = await readFromEach(seen, async ({ chain, sent }) => ({
    unpaid: await findUnpaid(chain, records, upTo),
    foreign: findForeignNonces(records, sent),
  }))
  if (compared.length === 0) throw new PayoutsUnread(`the reward chain does not answer (${unread.join('; ')})`)

  const split = (differencesOf: (one: (typeof compared)[number]) => string[]) => {
    const isCommon = (difference: string) => compared.every((one) => differencesOf(one).includes(difference))
    return {
      common: differencesOf(compared[0]!).filter(isCommon),
      single: compared.flatMap((one) =>
        differencesOf(one).flatMap((difference) => (isCommon(difference) ? [] : `${one.chain.host} alone says: ${difference}`)),
      ),
    }
  }
  const [unpaid, foreign] = [split((one) => one.unpaid), split((one) => one.foreign)]
  return {
    findings: [
      { name: paidOnChain, differences: unpaid.common },
      { name: noncesOnChain, differences: foreign.common },
      { name: endpointsAgree, differences: [...unpaid.single, ...foreign.single] },
    ],
    unread,
  }
}
