import { type FormEvent, useRef, useState } from 'react'
import { msg, t } from '#pwa/i18n/t.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { formatTime } from '../zone/officeZone.ts'
import { ChangeDialog } from '../ChangeDialog.tsx'
import { SettingCard } from './SettingCard.tsx'
import { UtcTimeFields } from './UtcTimeFields.tsx'
import { useSetting } from './useSetting.ts'
import { isSameTime, readUtcTime, unchosenTime, type UtcTime, writeUtcTime } from './utcTime.ts'

const isPast = (start: string, now: Date): boolean => new Date(start) <= now

/** The time at which sales open by themselves. */
export function SalesStartCard() {
  const now = useProductTime()
  const setting = useSetting('sales_start_date', (value) =>
    value ? t('Sales start on {time}.', { time: formatTime(new Date(value)) }) : t('The sales start has been cleared.'),
  )
  const { value, save } = setting
  return (
    <SettingCard
      {...setting}
      title={t('Sales start date and time')}
      state={value !== undefined && <StartState value={value} now={now} />}
    >
      {(stored) => <SalesStartForm value={stored} now={now} save={save} />}
    </SettingCard>
  )
}

function StartState({ value, now }: { value: string; now: Date }) {
  if (!value) return <StatusWord tone="neutral">{t('Not set')}</StatusWord>
  return isPast(value, now) ? (
    <StatusWord tone="done">{t('Started')}</StatusWord>
  ) : (
    <StatusWord tone="waiting">{t('Upcoming')}</StatusWord>
  )
}

interface SalesStartFormProps extends Pick<ReturnType<typeof useSetting>, 'save'> {
  value: string
  now: Date
}

function SalesStartForm({ value, now, save }: SalesStartFormProps) {
  const stored = value ? writeUtcTime(new Date(value)) : unchosenTime
  const [draft, setDraft] = useState<UtcTime | null>(null)
  const [problem, setProblem] = useState<string>()
  /** The start whose change is asked about; empty to clear it. */
  const [asked, setAsked] = useState<string>()
  const dateField = useRef<HTMLInputElement>(null)
  const chosen = draft ?? stored
  const start = readUtcTime(chosen)
  const isChanged = !isSameTime(chosen, stored)

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (start) return setAsked(start.toISOString())
    setProblem(msg('Please choose a date.'))
    toast({ title: t('Date Required'), description: t('Please choose a date.'), destructive: true })
    dateField.current?.focus()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-4">
      <UtcTimeFields
        value={chosen}
        dateRef={dateField}
        error={problem}
        onChange={(next) => {
          setDraft(next)
          setProblem(undefined)
        }}
      />
      <p className="text-14 text-ink-10" aria-live="polite">
        {isChanged && start ? describeChange(start, now) : describeStored(value, now)}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={!isChanged} isPending={save.isPending} pendingLabel={t('Saving...')}>
          {t('Save')}
        </Button>
        {value !== '' && (
          <Button variant="secondary" disabled={save.isPending} onClick={() => setAsked('')}>
            {t('Clear')}
          </Button>
        )}
      </div>
      {asked !== undefined && (
        <StartDialog
          value={value}
          asked={asked}
          now={now}
          isPending={save.isPending}
          onClose={() => setAsked(undefined)}
          onConfirm={() =>
            save.mutate(
              { value: asked },
              {
                onSuccess: () => {
                  setDraft(null)
                  setProblem(undefined)
                },
                onSettled: () => setAsked(undefined),
              },
            )
          }
        />
      )}
    </form>
  )
}

interface StartDialogProps extends Pick<SalesStartFormProps, 'value' | 'now'> {
  /** The new start; empty to clear it. */
  asked: string
  isPending: boolean
  onClose: () => void
  onConfirm: () => void
}

function StartDialog({ value, asked, now, ...rest }: StartDialogProps) {
  const isHarmless = Boolean(asked) || isPast(value, now)
  const cleared = isPast(value, now)
    ? t('Sales have already started, so nothing changes for buyers.')
    : t('Without a start, nodes can be bought right away if sales are enabled.')
  return (
    <ChangeDialog
      {...rest}
      title={asked ? t('Change the sales start?') : t('Clear the sales start of {time}?', { time: value && showStart(value) })}
      before={showStart(value)}
      after={showStart(asked)}
      consequence={asked ? describeChange(new Date(asked), now) : cleared}
      confirmLabel={asked ? t('Change the start') : t('Clear the start')}
      pendingLabel={asked ? t('Saving...') : t('Clearing...')}
      isHarmless={isHarmless}
    />
  )
}

const showStart = (start: string): string => (start ? formatTime(new Date(start)) : t('Not set'))

function describeStored(value: string, now: Date): string {
  if (!value) return t('No start is set. Nodes can be bought whenever sales are enabled.')
  const time = formatTime(new Date(value))
  return isPast(value, now)
    ? t('Sales started on {time}. Nodes can be bought if sales are enabled.', { time })
    : t('Nodes can be bought from {time} if sales are enabled.', { time })
}

function describeChange(start: Date, now: Date): string {
  const time = formatTime(start)
  return start > now
    ? t('Once saved, nobody can buy before {time}.', { time })
    : t('{time} has passed. Once saved, nodes can be bought immediately.', { time })
}
