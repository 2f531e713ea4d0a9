import clsx from 'clsx'
import { type RefObject, useId } from 'react'
import { formatAmount } from '#shared/amount.ts'
import type { DailyLimit } from '#shared/contract/withdrawals.ts'
import { MINIMUM_WITHDRAWAL, withdrawable } from '#shared/withdrawalRules.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { inputClass } from '#pwa/ui/Field.tsx'

interface AmountFieldProps {
  typed: string
  onType: (typed: string) => void
  available: bigint
  limit: DailyLimit | undefined
  problem: string | undefined
  /** A signed amount can be resent, but not changed. */
  isFixed: boolean
  ref: RefObject<HTMLInputElement | null>
}

/**
 * The amount as typed, with a comma or a point. A text field: a number field returns an empty value for the decimal sign of
 * another locale, and a float otherwise.
 */
export function AmountField({ typed, onType, available, limit, problem, isFixed, ref }: AmountFieldProps) {
  const id = useId()
  const left = limit?.left ?? available
  const max = withdrawable(left < available ? left : available)
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-14 font-strong text-ink-11">
        {t('Amount')}
      </label>
      <div className="relative">
        <input
          ref={ref}
          id={id}
          name="amount"
          inputMode="decimal"
          min={1}
          step="0.00000001"
          autoComplete="off"
          placeholder="0.00"
          value={typed}
          readOnly={isFixed}
          onChange={(event) => onType(event.target.value)}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={clsx(`${id}-hint`, problem && `${id}-problem`)}
          className={clsx(inputClass, 'figures pr-32! font-strong', isFixed && 'bg-ink-2!')}
        />
        <span className="pointer-events-none absolute inset-y-0 right-0 flex items-center gap-2 pr-0.5 text-14 text-ink-9">
          XCR
          <Button
            variant="quiet"
            className="pointer-events-auto enabled:text-accent!"
            title={t(max < withdrawable(available) ? 'What is left of your daily limit' : 'The whole balance')}
            disabled={isFixed || max === 0n}
            onClick={() => onType(formatAmount(max))}
          >
            {t('Max')}
          </Button>
        </span>
      </div>
      <p id={`${id}-hint`} className="mt-1.5 text-14 text-ink-9">
        {t('The minimum is {amount} XCR.', { amount: formatAmount(MINIMUM_WITHDRAWAL, { minDecimals: 2, grouped: true }) })}{' '}
        {limit && limit.left !== null && <LimitHint limit={limit} />}
      </p>
      {/* Its toast is announced; this text stays until the amount changes. */}
      {problem && (
        <p id={`${id}-problem`} className="mt-1 text-14 text-red">
          {translateServerText(problem)}
        </p>
      )}
    </div>
  )
}

/** What the owner's daily limit leaves, and when it leaves more. */
const LimitHint = ({ limit: { limit, left, growsAt } }: { limit: DailyLimit }) => (
  <span className="figures block">
    {t('{left} of your daily limit of {limit} XCR is left.', {
      left: formatAmount(left!, { grouped: true }),
      limit: formatAmount(limit!, { grouped: true }),
    })}{' '}
    {growsAt && t('More from {time}.', { time: formatDateTime(growsAt) })}
  </span>
)
