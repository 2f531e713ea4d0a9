import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { t } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { Tooltip } from '#pwa/ui/Tooltip.tsx'
import { WaitsForApproval } from '../proposals/WaitsForApproval.tsx'
import { NotesCell } from '../purchases/NotesCell.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { Bilingual } from './Bilingual.tsx'
import { reviewReasons } from './reviewReasons.ts'

/** The specification names three and shows any other as failed. Review is one of ours, and nothing has failed in it (decision 19). */
const states: Partial<Record<AdminWithdrawal['status'], { tone: Tone; ko: string; en: string }>> = {
  completed: { tone: 'done', ko: '완료', en: 'Completed' },
  pending: { tone: 'waiting', ko: '대기중', en: 'Pending' },
  processing: { tone: 'accent', ko: '처리중', en: 'Processing' },
  manual_review: { tone: 'waiting', ko: '검토중', en: 'In review' },
}
const held = { tone: 'waiting', ko: '보류중', en: 'On hold' } as const
const failed = { tone: 'refused', ko: '실패', en: 'Failed' } as const

/** A status that is not known reads as failed, with its own name in the tooltip. */
export function WithdrawalState({ withdrawal }: { withdrawal: AdminWithdrawal }) {
  const { status, reviewReason, heldUntil, needsReview, adminNotes } = withdrawal
  const now = useServerTime()
  const isHeld = heldUntil !== null && heldUntil > now
  const known = isHeld && !needsReview ? held : states[status]
  const { tone, ko, en } = known ?? failed
  const word = (
    <StatusWord tone={tone}>
      <Bilingual ko={ko} en={en} />
    </StatusWord>
  )
  return (
    <div className="max-md:text-right">
      {known ? (
        word
      ) : (
        <Tooltip text={status}>
          {/* oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex */}
          <span tabIndex={0} className="inline-flex cursor-help rounded-small">
            {word}
          </span>
        </Tooltip>
      )}
      {status === 'manual_review' && (
        <span className="block max-w-48 text-12 text-ink-10 max-md:ml-auto md:min-w-36">
          {isHeld && (
            <span className="block">
              {needsReview
                ? t('On hold until {time}', { time: formatTime(heldUntil) })
                : t('Until {time}', { time: formatTime(heldUntil) })}
            </span>
          )}
          {isHeld && !needsReview
            ? t('Released automatically')
            : reviewReason
              ? t('Waiting for review: {reason}', { reason: wordOf(reviewReasons.short, reviewReason) })
              : t('Waiting for review')}
        </span>
      )}
      <WaitsForApproval of={[`withdrawal:${withdrawal.id}`]} />
      {adminNotes && (
        <div className="max-w-48 max-md:ml-auto md:min-w-36">
          <NotesCell notes={adminNotes} />
        </div>
      )}
    </div>
  )
}
