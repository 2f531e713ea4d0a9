import type { EntityManager } from '@mikro-orm/postgresql'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { auditDaily } from '#api/integrity/auditDaily.ts'
import { anchorRegister } from '#api/integrity/register/anchorRegister.ts'
import { tellAnnouncements } from '#api/accounts/inbox/tellAnnouncements.ts'
import { sendDuePushes, sendPush } from '#api/accounts/push/sendPush.ts'
import { prepareLedgerMonths } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import { sendDueMails, sendMail } from '#api/platform/mail/sendMail.ts'
import { expireRequests } from '#api/sale/purchases/expirePurchases.ts'
import { readWantedBalances } from '#api/sale/purchases/knownBalances.ts'
import { releaseUncoveredHolds } from '#api/sale/purchases/releaseUncovered.ts'
import { announceSaleStart } from '#api/sale/settings/announceSaleStart.ts'
import { mailRewardDigests } from '#api/rewards/daily/mailDigests.ts'
import { payRewardCorrections } from '#api/rewards/daily/payCorrections.ts'
import { payRewards } from '#api/rewards/daily/payDueDays.ts'
import { resetDueOtps } from '#api/office/administrators/resetDueOtps.ts'
import { compactTotals } from '#api/office/figures/compactTotals.ts'
import { expireProposals } from '#api/office/proposals/expireProposals.ts'
import { recordReading } from '#api/withdrawals/payoutWallets/recordReading.ts'
import { watchHoldings } from '#api/withdrawals/payoutWallets/watchHoldings.ts'
import { settleDebts } from '#api/withdrawals/requests/debts.ts'
import { releaseHolds } from '#api/withdrawals/requests/releaseHolds.ts'
import type { Job, Sweep } from '#api/platform/jobs/defineJob.ts'
import { issueMissingReceipts } from '#api/integrity/register/issueMissingReceipts.ts'
import { publishRegister } from '#api/integrity/register/publish/publishRegister.ts'
import { signDueReceipts, signReceipts } from '#api/integrity/register/signReceipts.ts'
import { tidyUp } from './tidyUp.ts'

/** Background jobs started by requests. */
export const jobs = [sendMail, sendPush, signReceipts] as unknown as readonly Job[]

/** Periodic work. */
export const sweeps: readonly Sweep[] = [
  sendDueMails,
  sendDuePushes,
  announceSaleStart,
  tellAnnouncements,
  expireRequests,
  releaseUncoveredHolds,
  readWantedBalances,
  payRewards,
  payRewardCorrections,
  settleDebts,
  releaseHolds,
  resetDueOtps,
  mailRewardDigests,
  prepareLedgerMonths,
  compactTotals,
  expireProposals,
  watchHoldings,
  recordReading,
  auditDaily,
  publishRegister,
  anchorRegister,
  signDueReceipts,
  issueMissingReceipts,
  tidyUp,
]

/** Tells open pages of the back office that a task fails, or no longer fails. */
export const tellOffice = (em: EntityManager): Promise<void> => recordChange(em, { keys: [getWaiting.path] })
