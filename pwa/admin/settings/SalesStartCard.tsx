import { type FormEvent, useRef, useState } from 'react'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { useProductTime } from '#pwa/lib/productClock.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { SettingCard } from './SettingCard.tsx'
import { UtcTimeFields } from './UtcTimeFields.tsx'
import { useSetting } from './useSetting.ts'
import { isSameTime, readUtcTime, unchosenTime, type UtcTime, writeUtcTime } from './utcTime.ts'

const isPast = (start: string, now: Date): boolean => new Date(start) <= now

const noDate = 'Please choose a date.'

/** When sales begin by themselves. */
export function SalesStartCard() {
  const now = useProductTime()
  const setting = useSetting('sales_start_date', (value) =>
    value ? `Sales start on ${formatDateTime(new Date(value))}.` : 'There is no sales start any more.',
  )
  const { value, save } = setting
  return (
    <SettingCard
      {...setting}
      title="Sales start date and time"
      state={value !== undefined && <StartState value={value} now={now} />}
    >
      {(stored) => <SalesStartForm value={stored} now={now} save={save} />}
    </SettingCard>
  )
}

function StartState({ value, now }: { value: string; now: Date }) {
  if (!value) return <StatusWord tone="neutral">Not set</StatusWord>
  return isPast(value, now) ? <StatusWord tone="done">Has come</StatusWord> : <StatusWord tone="waiting">To come</StatusWord>
}

interface SalesStartFormProps extends Pick<ReturnType<typeof useSetting>, 'save'> {
  value: string
  now: Date
}

function SalesStartForm({ value, now, save }: SalesStartFormProps) {
  const stored = value ? writeUtcTime(new Date(value)) : unchosenTime
  const [draft, setDraft] = useState<UtcTime | null>(null)
  const [problem, setProblem] = useState<string>()
  // The start that would be cleared. The words of the question stay while it is answered.
  const [asked, setAsked] = useState(value)
  const [isAsking, setAsking] = useState(false)
  const dateField = useRef<HTMLInputElement>(null)
  const chosen = draft ?? stored
  const start = readUtcTime(chosen)
  const isChanged = !isSameTime(chosen, stored)

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (start) return save.mutate(start.toISOString(), { onSuccess: () => setDraft(null) })
    setProblem(noDate)
    toast({ title: 'Date Required', description: noDate, destructive: true })
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
        <Button type="submit" disabled={!isChanged} isPending={save.isPending && !isAsking} pendingLabel="Saving...">
          Save
        </Button>
        {value !== '' && (
          <Button
            variant="secondary"
            disabled={save.isPending}
            onClick={() => {
              setAsked(value)
              setAsking(true)
            }}
          >
            Clear
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={`Clear the sales start of ${asked && formatDateTime(new Date(asked))}?`}
        description={
          isPast(asked, now)
            ? 'Sales have started already: nothing changes for buyers.'
            : 'Without a start nodes can be bought from this moment on, if sales are enabled.'
        }
        confirmLabel="Clear the start"
        pendingLabel="Clearing..."
        isHarmless={isPast(asked, now)}
        isPending={save.isPending}
        onConfirm={() =>
          save.mutate('', {
            onSuccess: () => {
              setDraft(null)
              setProblem(undefined)
            },
            onSettled: () => setAsking(false),
          })
        }
      />
    </form>
  )
}

function describeStored(value: string, now: Date): string {
  if (!value) return 'No start is set: nodes can be bought whenever sales are enabled.'
  const at = formatDateTime(new Date(value))
  return isPast(value, now)
    ? `Nodes can be bought since ${at}, if sales are enabled.`
    : `Nodes can be bought from ${at} on, if sales are enabled.`
}

const describeChange = (start: Date, now: Date): string =>
  start > now
    ? `Once saved, nobody can buy before ${formatDateTime(start)}.`
    : `${formatDateTime(start)} has passed: once saved, nodes can be bought at once.`
