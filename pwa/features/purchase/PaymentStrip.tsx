import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Check, TriangleAlert } from '#pwa/ui/icons.ts'
import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Link } from '#pwa/ui/Link.tsx'
import type { Purchase } from '#shared/contract/purchases.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Spinner } from '#pwa/ui/Spinner.tsx'
import { useAskedTransfer } from './askedTransfer.ts'
import { describePayments, isInProgress, type PaymentLine } from './describePayments.ts'
import { usePaymentReports } from './paymentOutbox.ts'
import type { usePurchaseFlow } from './usePurchaseFlow.ts'

const noPurchases: readonly Purchase[] = []

/** The payments in progress, on every page. Also after a reload and on another device, because the server knows them. */
export function PaymentStrip({ controls }: { controls: ReturnType<typeof usePurchaseFlow> }) {
  const user = useAuthUser()
  const { data: purchases } = useQuery({ ...purchasesQuery, enabled: Boolean(user) })
  const { data: reservation } = useQuery({ ...reservationQuery, enabled: Boolean(user) })
  // Until the user is known, stored reports are shown to everybody who opens this browser: offline, that is their owner.
  const reports = usePaymentReports((outbox) => outbox.reports)
  const mine = reports.filter(({ userId }) => !user || userId === user.id)
  const now = useServerTime()
  const isOffline = useIsOffline()
  const { newlyConfirmed, dismiss } = useNewlyConfirmed(purchases ?? noPurchases)
  const asked = useAskedTransfer((store) => store.asked)
  const { flow } = controls

  const isDialogOpen = (flow.at === 'payment' || flow.at === 'tracking') && flow.isOpen
  const lines = describePayments({ flow, reservation, asked, purchases, reports: mine, newlyConfirmed, isOffline, now })
  if (lines.length === 0 || isDialogOpen) return null

  function open({ opens }: PaymentLine) {
    if (opens === 'wallet') controls.open()
    else if (opens === 'reservation' && reservation) controls.resume(reservation)
    else if (typeof opens === 'object') {
      dismiss(opens)
      controls.track(opens)
    }
  }

  return (
    <section aria-label={t('Payments in progress')} className="border-b border-ink-5 bg-ink-2">
      {/* Announced without the countdown. */}
      <p role="status" className="sr-only">
        {lines.map(({ title, text, opens }) => (opens === 'reservation' ? `${title}.` : `${title}: ${text}.`)).join(' ')}
      </p>
      <ul className="page py-1">
        {lines.map((line) => (
          <li key={line.key} className="flex min-h-11 items-center gap-3 text-14">
            <Sign tone={line.tone} />
            <span className="flex min-w-0 flex-1 flex-wrap gap-x-2 py-1.5">
              <span className="font-strong text-ink-12">{line.title}</span>
              <span
                // The node numbers of confirmed purchases.
                translate={line.tone === 'done' ? 'no' : undefined}
                className={clsx('figures', line.tone === 'review' ? 'text-amber' : 'text-ink-10')}
              >
                {line.text}
              </span>
            </span>
            {line.opens === 'refusal' ? (
              <Link to="/purchase" className={actionClass}>
                {t('View')}
              </Link>
            ) : (
              line.opens !== 'nothing' && (
                <button type="button" className={actionClass} onClick={() => open(line)}>
                  {t(line.opens === 'reservation' ? 'Pay' : 'Show')}
                  <span className="sr-only">: {line.title}</span>
                </button>
              )
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

const actionClass =
  'inline-flex min-h-11 shrink-0 items-center rounded-input px-3 font-strong text-accent transition-colors hover:bg-ink-3'

function Sign({ tone }: { tone: PaymentLine['tone'] }) {
  if (tone === 'waiting') return <Spinner size={18} className="shrink-0 text-accent" />
  if (tone === 'review') return <TriangleAlert size={18} aria-hidden className="shrink-0 text-amber" />
  return <Check size={18} aria-hidden className="shrink-0 text-green" />
}

/** Purchases confirmed since this page was opened, shown until they are seen. */
function useNewlyConfirmed(purchases: readonly Purchase[]) {
  const [awaited, setAwaited] = useState<ReadonlySet<string>>(new Set())
  const waiting = purchases.filter(isInProgress).map(({ id }) => id)
  if (waiting.some((id) => !awaited.has(id))) setAwaited(new Set([...awaited, ...waiting]))
  return {
    newlyConfirmed: purchases.filter(({ id, paymentStatus }) => paymentStatus === 'confirmed' && awaited.has(id)),
    dismiss: ({ id }: Purchase) => setAwaited((known) => new Set([...known].filter((one) => one !== id))),
  }
}
