import type { Waiting } from '#shared/contract/admin/waiting.ts'
import { plural } from '#pwa/i18n/t.ts'
import type { Operation } from '../panel/operations.tsx'
import type { PanelTab } from '../panel/panelTabs.tsx'

export type WaitingKind = Exclude<keyof Waiting, 'total'>

interface KindOfWaiting {
  kind: WaitingKind
  /** Where it is worked on. */
  tab: PanelTab | Operation
  /** The filter that shows it in the list of that tab. */
  status?: 'waiting' | 'held'
  /** Something is wrong, rather than waiting for a decision. */
  isAlarm?: true
  describe: (count: number) => string
}

/** In the order of the strip: what may cost money first. */
export const waitingKinds: readonly KindOfWaiting[] = [
  {
    kind: 'differences',
    tab: 'health',
    isAlarm: true,
    describe: (count) => plural(count, '{count} difference in the books', '{count} differences in the books'),
  },
  {
    kind: 'stoppedPayouts',
    tab: 'health',
    isAlarm: true,
    describe: (count) => plural(count, 'Payouts stopped', 'Payouts of {count} wallets stopped'),
  },
  {
    kind: 'lowWallets',
    tab: 'health',
    isAlarm: true,
    describe: (count) => plural(count, 'Payout wallet low', '{count} payout wallets low'),
  },
  {
    kind: 'failingTasks',
    tab: 'health',
    isAlarm: true,
    describe: (count) => plural(count, '{count} job failing', '{count} jobs failing'),
  },
  {
    kind: 'proposals',
    tab: 'proposals',
    describe: (count) => plural(count, '{count} proposal to approve', '{count} proposals to approve'),
  },
  {
    kind: 'withdrawals',
    tab: 'withdrawals',
    status: 'waiting',
    describe: (count) => plural(count, '{count} withdrawal to decide', '{count} withdrawals to decide'),
  },
  {
    kind: 'reviews',
    tab: 'purchases',
    status: 'waiting',
    describe: (count) => plural(count, '{count} case to review', '{count} cases to review'),
  },
  {
    kind: 'holds',
    tab: 'withdrawals',
    status: 'held',
    describe: (count) => plural(count, '{count} withdrawal on hold', '{count} withdrawals on hold'),
  },
]

/** How much of it is worked on in each tab. */
export function countByTab(waiting: Waiting | undefined): Partial<Record<PanelTab | Operation, number>> {
  const counts: Partial<Record<PanelTab | Operation, number>> = {}
  for (const { kind, tab } of waitingKinds) counts[tab] = (counts[tab] ?? 0) + (waiting?.[kind] ?? 0)
  return counts
}
