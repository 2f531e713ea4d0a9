import { auditDaily } from '../audit/auditDaily.ts'
import { prepareLedgerMonths } from '../ledger/prepareLedgerMonths.ts'
import { sendDueMails, sendMail } from '../mail/sendMail.ts'
import { expireRequests } from '../purchases/expirePurchases.ts'
import { releaseUncoveredHolds } from '../purchases/releaseUncovered.ts'
import { mailRewardDigests } from '../rewards/mailDigests.ts'
import { payRewardCorrections } from '../rewards/payCorrections.ts'
import { payRewards } from '../rewards/payDueDays.ts'
import { compactTotals } from '../totals/compactTotals.ts'
import { settleDebts } from '../withdrawals/debts.ts'
import type { Job, Sweep } from './defineJob.ts'
import { tidyUp } from './tidyUp.ts'

/** Everything that is done in the background on somebody's behalf. */
export const jobs = [sendMail] as unknown as readonly Job[]

/** Everything that runs by the clock. */
export const sweeps: readonly Sweep[] = [
  sendDueMails,
  expireRequests,
  releaseUncoveredHolds,
  payRewards,
  payRewardCorrections,
  settleDebts,
  mailRewardDigests,
  prepareLedgerMonths,
  compactTotals,
  auditDaily,
  tidyUp,
]
