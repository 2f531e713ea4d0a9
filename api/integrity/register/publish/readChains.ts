import type { EntityManager } from '@mikro-orm/postgresql'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import type { Services } from '#api/platform/services.ts'
import {
  type ChainFigures,
  type ChainLimits,
  describeUndecided,
  describeUnsettled,
  type Endpoints,
  readChainFigures,
  readChainLimits,
} from './chainFigures.ts'
import { BooksIncomplete, ChainTooYoung } from './checkEquations.ts'
import { findUnreadTransactions } from './payoutFacts.ts'
import { readEntries, readLast } from './readLast.ts'
import { readPaidDays } from './registerDays.ts'
import { SentTransfers } from './SentTransfers.ts'

export interface Chains {
  /** The last paid day: the blocks are from before its 09:00. */
  day: string | undefined
  /** The last published books. */
  before: EntryOf<'books'> | undefined
  figures: ChainFigures
  sent: SentTransfers
  /** The paying wallets of the log. */
  wallets: ReadonlySet<string>
}

/** What the chains say, read before the transaction so that it is short. */
export async function readChains(
  { orm, clock, config }: Pick<Services, 'clock' | 'config' | 'orm'>,
  endpoints: Endpoints,
): Promise<Chains> {
  const em = orm.em.fork()
  const before = await readLast(em, 'books')
  const listed = (await readEntries(em, 'address')).flatMap(({ role, address }) => (role === 'wallet' ? [address] : []))
  const wallets = new Set(listed)
  const day = await readLastPaidDay(em)
  const now = clock.now()
  const until = config.demo || !day ? now : rewardInstant(day)
  const limits = await readChainLimits(em)
  const [figures, sent] = await Promise.all([
    readChainFigures({ config, endpoints, limits, until, wallets: listed.toSorted(), before }),
    SentTransfers.read(endpoints.reward, {
      hashes: await findUnreadTransactions(em),
      token: config.XCR_TOKEN_ADDRESS,
      wallets,
    }),
  ])
  if (config.demo && wallets.size > 0 && !figures.rewardBlock) throw new ChainTooYoung()
  return { day, before, figures, sent, wallets }
}

/** Whether what the snapshot contains was settled or paid after the chains were read, so that they have to be read again. */
export async function isOutdated({ day, sent }: Chains, em: EntityManager): Promise<boolean> {
  return day !== (await readLastPaidDay(em)) || !sent.covers(await findUnreadTransactions(em))
}

const readLastPaidDay = async (em: EntityManager): Promise<string | undefined> =>
  (await readPaidDays(em, { latestOnly: true }))[0]?.day

/** The blocks must still be complete in the snapshot. */
export function requireUnchanged({ before, figures }: Chains, limits: ChainLimits): void {
  const { paymentBlock, rewardBlock } = figures
  const { decidedUpTo, unsettledSince } = limits
  // The second reading may also have to repeat blocks of published books.
  if (paymentBlock && (decidedUpTo ?? -1) < paymentBlock.number) throw new BooksIncomplete(describeUndecided(decidedUpTo))
  // What was signed before the block of published books was settled or explained then, and a lost payout stays lost.
  if (!rewardBlock || rewardBlock.number === before?.rewardBlock?.number) return
  requireKnownPayouts(figures, limits)
  if (unsettledSince && unsettledSince < rewardBlock.time) throw new BooksIncomplete(describeUnsettled(unsettledSince))
}

/**
 * A restored database may lack payouts that the chain has. The worker may have stopped the wallet while the register read the chain, or
 * not yet. It counts what it signs before it sends it, and these rows are read after the chain.
 */
function requireKnownPayouts({ sentCounts }: ChainFigures, { isWalletStopped, signedCounts }: ChainLimits): void {
  if (isWalletStopped) throw new BooksIncomplete('payouts are stopped')
  for (const [wallet, sent] of sentCounts)
    if (sent > (signedCounts[wallet] ?? 0))
      throw new BooksIncomplete(`the payout wallet ${wallet} has sent transactions that are not recorded`)
}
