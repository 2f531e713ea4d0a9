import type { EntityManager } from '@mikro-orm/postgresql'
import { auditDatabase, type Finding, type OnProgress } from './auditDatabase.ts'
import { auditDeposits, DepositsUnread } from './auditDeposits.ts'
import { auditPayouts, PayoutsUnread } from './auditPayouts.ts'
import type { DepositChain } from './DepositChain.ts'
import type { PayoutChain } from './PayoutChain.ts'

interface Subject {
  at?: Parameters<typeof auditDatabase>[1]
  /** Undefined if none is configured. */
  paymentChain: DepositChain | undefined
  rewardChain: readonly PayoutChain[] | undefined
  /** The first block whose payments are read. */
  startBlock: bigint
  /** Compares every block since `startBlock`, not only those after the last daily audit, and the rows of archived months. */
  all?: boolean
  onProgress?: OnProgress
}

export interface Audit {
  findings: Finding[]
  /** One sentence for each part that could not be checked. */
  unread: string[]
  /** The last block whose deposits were compared. */
  upTo: bigint | undefined
}

/** Audits the rows, and compares them with both chains. */
export async function auditAll(
  em: EntityManager,
  { at, paymentChain, rewardChain, startBlock, all = false, onProgress }: Subject,
): Promise<Audit> {
  const findings = await auditDatabase(em.fork(), at, { onProgress, archived: all })
  const unread: string[] = []
  let upTo: bigint | undefined
  try {
    const deposits = await auditDeposits(em.fork(), paymentChain, {
      startBlock,
      all,
      ...(onProgress && { onProgress }),
    })
    findings.push(...deposits.findings)
    unread.push(...deposits.unread)
    upTo = deposits.upTo
  } catch (error) {
    if (!(error instanceof DepositsUnread)) throw error
    unread.push(`Deposits were not compared with the payment chain: ${error.message}`)
  }
  try {
    onProgress?.('Comparing payouts with the reward chain', 1, 1)
    const payouts = await auditPayouts(em.fork(), rewardChain)
    findings.push(...payouts.findings)
    unread.push(...payouts.unread.map((reason) => `Payouts were not compared with every endpoint: ${reason}`))
  } catch (error) {
    if (!(error instanceof PayoutsUnread)) throw error
    unread.push(`Payouts were not compared with the reward chain: ${error.message}`)
  }
  return { findings, unread, upTo }
}
