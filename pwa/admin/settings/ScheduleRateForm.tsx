import { type FormEvent, useRef, useState } from 'react'
import { parseAmount } from '#shared/amount.ts'
import type { RewardRate } from '#shared/contract/admin/office.ts'
import { settingRules } from '#shared/settingRules.ts'
import { msg, t, translateServerText } from '#pwa/i18n/t.ts'
import { nextRewardAt } from '#pwa/lib/nextRewardAt.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { formatTime } from '../zone/officeZone.ts'
import { ChangeDialog } from '../ChangeDialog.tsx'
import { formatXcr } from '../formatXcr.ts'
import { useCommaRefusal } from './useCommaRefusal.ts'
import { useScheduleRate } from './useScheduleRate.ts'
import { UtcTimeFields } from './UtcTimeFields.tsx'
import { readUtcTime, type UtcTime, writeUtcTime } from './utcTime.ts'

/** Schedules a rate, by default from the next payout on. `rates` are the known ones, newest first. */
export function ScheduleRateForm({ rates }: { rates: readonly RewardRate[] }) {
  const now = useProductTime()
  const [typed, setTyped] = useState('')
  const [draft, setDraft] = useState<UtcTime | null>(null)
  const [problem, setProblem] = useState<{ about: 'rate' | 'time'; message: string }>()
  /** The rate that is asked about. */
  const [asked, setAsked] = useState<{ rate: bigint; effectiveFrom: Date }>()
  const rateField = useRef<HTMLInputElement>(null)
  const comma = useCommaRefusal()
  const dateField = useRef<HTMLInputElement>(null)
  const chosen = draft ?? writeUtcTime(nextRewardAt(now))
  const effectiveFrom = readUtcTime(chosen)
  const rateBefore = (time: Date) => rates.find(({ effectiveFrom: from }) => from <= time)?.rate ?? 0n
  const rate = parseAmount(settingRules.xcr_per_node_daily.read(typed.trim()) ?? '')

  const schedule = useScheduleRate(() => {
    setTyped('')
    setDraft(null)
    setAsked(undefined)
  })

  function refuse(about: 'rate' | 'time', title: string, message: string) {
    setProblem({ about, message })
    toast({ title, description: translateServerText(message), destructive: true })
    ;(about === 'rate' ? rateField : dateField).current?.focus()
  }

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (comma.problem) return rateField.current?.focus()
    if (rate === undefined) return refuse('rate', t('Invalid Rate'), settingRules.xcr_per_node_daily.message)
    if (!effectiveFrom) return refuse('time', t('Date Required'), msg('Please choose a date.'))
    if (effectiveFrom < now) return refuse('time', t('Invalid Time'), msg('Please choose a time in the future.'))
    setAsked({ rate, effectiveFrom })
  }

  return (
    <form noValidate aria-label={t('Schedule a daily reward')} onSubmit={handleSubmit} className="flex flex-col gap-4">
      <TextField
        ref={rateField}
        label={t('New rate (XCR per node per day)')}
        type="number"
        min="0"
        step="any"
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        readOnly={schedule.isPending}
        {...comma.handlers}
        error={comma.problem ?? (problem?.about === 'rate' ? problem.message : undefined)}
        onChange={({ target }) => {
          setTyped(target.value)
          comma.note(typed, target.value)
          setProblem(undefined)
        }}
        // Scrolling over a focused number field would change its value unnoticed.
        onWheel={(event) => event.currentTarget.blur()}
        className="figures"
      />
      <UtcTimeFields
        value={chosen}
        dateRef={dateField}
        error={problem?.about === 'time' ? problem.message : undefined}
        onChange={(next) => {
          setDraft(next)
          setProblem(undefined)
        }}
      />
      {effectiveFrom && effectiveFrom >= now && (
        <p className="text-14 text-ink-10">
          {t('First paid on {time}. Rewards already paid stay as they are.', {
            time: formatTime(firstPayout(effectiveFrom)),
          })}
        </p>
      )}
      <Button
        type="submit"
        className="w-full desk:w-auto desk:self-start"
        disabled={typed === ''}
        isPending={schedule.isPending}
        pendingLabel={t('Scheduling...')}
      >
        {t('Schedule rate')}
      </Button>
      {asked && (
        <ChangeDialog
          title={t('Change the daily reward?')}
          before={formatXcr(rateBefore(asked.effectiveFrom))}
          after={formatXcr(asked.rate)}
          amounts={[rateBefore(asked.effectiveFrom), asked.rate]}
          consequence={t(
            'Every active node of every user earns this from the payout on {time}. Rewards already paid stay as they are.',
            {
              time: formatTime(firstPayout(asked.effectiveFrom)),
            },
          )}
          confirmLabel={t('Change the reward')}
          pendingLabel={t('Scheduling...')}
          isPending={schedule.isPending}
          onClose={() => setAsked(undefined)}
          needsReason
          onConfirm={(reason) => schedule.mutate({ ...asked, replaces: rateBefore(asked.effectiveFrom), reason })}
        />
      )}
    </form>
  )
}

/** A payout at that exact instant uses the rate too. */
const firstPayout = (effectiveFrom: Date): Date => nextRewardAt(new Date(effectiveFrom.getTime() - 1))
