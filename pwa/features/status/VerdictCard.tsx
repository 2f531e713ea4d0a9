import clsx from 'clsx'
import type { ServiceStatus, Verdict } from '#shared/contract/status.ts'
import { type Message, msg, translate } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { CircleAlert, CircleCheck, CircleHelp } from '#pwa/ui/icons.ts'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { useShownVerdict } from './useShownVerdict.ts'

const looks = {
  done: { ink: 'text-green', Icon: CircleCheck },
  waiting: { ink: 'text-amber', Icon: CircleAlert },
  unknown: { ink: 'text-ink-9', Icon: CircleHelp },
} as const

interface Line {
  look: keyof typeof looks
  title: Message
  /** What it means for money. */
  meaning: Message
}

const lines: Record<Verdict, Line> = {
  ok: { look: 'done', title: msg('Everything works'), meaning: msg('Payments, rewards and payouts are on time.') },
  incident: {
    look: 'waiting',
    title: msg('There is an incident'),
    meaning: msg('It is described below, with the figures of each part.'),
  },
  payments_delayed: {
    look: 'waiting',
    title: msg('Payments are delayed'),
    meaning: msg('Payments already sent are safe. They are credited later, and no reservation that was paid is lost.'),
  },
  rewards_delayed: {
    look: 'waiting',
    title: msg('Rewards are delayed'),
    meaning: msg('Nothing is lost. Missed days are paid automatically afterwards.'),
  },
  payouts_delayed: {
    look: 'waiting',
    title: msg('Payouts are delayed'),
    meaning: msg('Nothing is lost. Withdrawals wait in their order.'),
  },
  register_delayed: {
    look: 'waiting',
    title: msg('The public register is delayed'),
    meaning: msg('Payments, rewards and payouts are on time.'),
  },
  several_delayed: {
    look: 'waiting',
    title: msg('Several parts are delayed'),
    meaning: msg('Nothing is lost, and payments already sent are safe. See below what is delayed.'),
  },
  outdated: {
    look: 'unknown',
    title: msg('The current state is unknown'),
    meaning: msg('Below is the last known state. Payments already sent are safe.'),
  },
}

/** Of a newer server. */
const unknown: Line = {
  look: 'waiting',
  title: msg('Something is delayed'),
  meaning: msg('See below what is delayed. Payments already sent are safe.'),
}

/** The state in one line. */
export function VerdictCard({ status }: { status: ServiceStatus }) {
  const { readAt } = status
  const { look, title, meaning } = (lines as Partial<Record<string, Line>>)[useShownVerdict(status)] ?? unknown
  const { ink, Icon } = looks[look]
  const time = (
    <>
      <time dateTime={readAt.toISOString()}>{formatDateTime(readAt)}</time>
      <LocalTime date={readAt} />
    </>
  )
  return (
    <Card>
      <div className="flex gap-3">
        <Icon size={28} aria-hidden className={clsx('mt-0.5 shrink-0', ink)} />
        <div className="min-w-0">
          <div role="status">
            <h2 className="text-20 font-strong text-balance text-ink-12">{translate(title)}</h2>
            <p className="mt-1 text-ink-10 text-pretty">{translate(meaning)}</p>
          </div>
          <p className="figures mt-3 text-14 text-ink-9">
            {look === 'unknown' ? <T text="As of {time}" time={time} /> : <T text="Checked {time}" time={time} />}
          </p>
        </div>
      </div>
    </Card>
  )
}
