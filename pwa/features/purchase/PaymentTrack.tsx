import clsx from 'clsx'
import { Check, TriangleAlert, X } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { formatExactTime } from './formatExactTime.ts'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Spinner } from '#pwa/ui/Spinner.tsx'

export interface TrackItem {
  name: string
  state: 'waiting' | 'running' | 'done' | 'review' | 'failed'
  detail?: ReactNode
  at?: Date | undefined
}

const words: Record<TrackItem['state'], Message> = {
  waiting: msg('not yet'),
  running: msg('now'),
  done: msg('done'),
  review: msg('under review'),
  failed: msg('stopped'),
}

/** The steps of a payment, each with its status and details. */
export function PaymentTrack({ items }: { items: readonly TrackItem[] }) {
  return (
    <ol aria-label={t('Steps of the payment')}>
      {items.map(({ name, state, detail, at }, position) => (
        <li key={name} className="flex gap-3" {...(state === 'running' && { 'aria-current': 'step' as const })}>
          <span className="flex flex-col items-center">
            <Sign state={state} />
            {position < items.length - 1 && (
              <span aria-hidden className={clsx('w-px flex-1', state === 'done' ? 'bg-accent' : 'bg-ink-5')} />
            )}
          </span>
          <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 pb-4">
            <span className={clsx('flex-1', state === 'waiting' ? 'text-ink-9' : 'font-strong text-ink-12')}>
              {name}
              <span className="sr-only">, {translate(words[state])}</span>
            </span>
            {at && (
              <time className="figures text-12 text-ink-9">
                {formatExactTime(at)}
                <LocalTime date={at} />
              </time>
            )}
            {detail && (
              <span
                className={clsx(
                  'w-full text-14',
                  state === 'failed' ? 'text-red' : state === 'review' ? 'text-amber' : 'text-ink-10',
                )}
              >
                {detail}
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}

function Sign({ state }: { state: TrackItem['state'] }) {
  return (
    <span
      aria-hidden
      className={clsx('grid size-6 shrink-0 place-items-center rounded-full border', {
        'border-accent bg-accent text-on-accent': state === 'done',
        'border-transparent text-accent': state === 'running',
        'border-ink-6': state === 'waiting',
        'border-amber-line bg-amber-soft text-amber': state === 'review',
        'border-red-line bg-red-soft text-red': state === 'failed',
      })}
    >
      {state === 'done' && <Check size={14} strokeWidth={2.5} />}
      {state === 'running' && <Spinner size={20} />}
      {state === 'review' && <TriangleAlert size={13} />}
      {state === 'failed' && <X size={14} strokeWidth={2.5} />}
    </span>
  )
}
