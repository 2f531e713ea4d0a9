import { useQuery } from '@tanstack/react-query'
import { formatAmount } from '#shared/amount.ts'
import type { Payment } from '#shared/contract/purchases.ts'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { paymentsQuery } from '#pwa/lib/queries.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { type Explorers, TransactionLink } from './TransactionLink.tsx'

const states: Record<Payment['state'], { tone: Tone; word: Message; meaning: Message }> = {
  arriving: { tone: 'accent', word: msg('Arriving'), meaning: msg('It is being confirmed on the chain.') },
  credited: { tone: 'done', word: msg('Credited'), meaning: msg('It paid for your nodes.') },
  waiting: {
    tone: 'waiting',
    word: msg('Waiting for review'),
    meaning: msg('Our team will review it within five business days.'),
  },
  refunded: { tone: 'neutral', word: msg('Refunded'), meaning: msg('It was sent back to the wallet it came from.') },
  ignored: {
    tone: 'neutral',
    word: msg('Not credited'),
    meaning: msg("It was too small for a node or doesn't match a purchase. Contact support if you have questions."),
  },
}

const forAnother: (typeof states)[Payment['state']] = {
  tone: 'neutral',
  word: msg('Used for another account'),
  meaning: msg('It paid for a purchase of another account. If you think this is wrong, contact support.'),
}

/** Every USDT transfer from the user's wallets with its outcome, so that nobody has to ask support whether it arrived. */
export function PaymentsReceived({ explorers }: { explorers: Explorers | undefined }) {
  const { data: payments } = useQuery(paymentsQuery)
  if (!payments?.length) return null
  return (
    <section aria-labelledby="payments-received" className="mt-10">
      <h2 id="payments-received" className="mb-1 text-20 font-strong">
        {t('Payments received')}
      </h2>
      <p className="mb-3 text-14 text-ink-10">{t('USDT from your wallets and its status.')}</p>
      <ul className="divide-y divide-ink-4 rounded-card border border-ink-5 bg-surface">
        {payments.map((payment) => (
          <PaymentRow key={payment.id} payment={payment} explorers={explorers} />
        ))}
      </ul>
    </section>
  )
}

function PaymentRow({ payment, explorers }: { payment: Payment; explorers: Explorers | undefined }) {
  const { amount, seenAt, transactionHash, refund } = payment
  const { tone, word, meaning } = payment.isForAnother && payment.state === 'credited' ? forAnother : states[payment.state]
  const isPartial = refund?.amount != null && refund.amount < amount
  return (
    <li className="grid gap-x-4 gap-y-0.5 px-4 py-3 text-14 sm:grid-cols-[minmax(0,1fr)_auto]">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <strong className="figures font-strong">{formatAmount(amount, { grouped: true })} USDT</strong>
        <time dateTime={seenAt.toISOString()} className="figures text-ink-9">
          {formatDateTime(seenAt)}
          <LocalTime date={seenAt} hasDay />
        </time>
      </p>
      <p className="sm:justify-self-end">
        <StatusWord tone={tone}>{translate(word)}</StatusWord>
      </p>
      <p className="text-ink-10 wrap-anywhere">
        {isPartial
          ? t('{amount} USDT of it was sent back to the wallet it came from.', {
              amount: formatAmount(refund.amount!, { grouped: true }),
            })
          : translate(meaning)}
        {isPartial && refund.reason && (
          <>
            {' '}
            <T text="Reason: {reason}" reason={<span translate="no">{refund.reason}</span>} />
          </>
        )}
      </p>
      <p className="sm:justify-self-end">
        <TransactionLink
          transaction={{ hash: refund?.transactionHash ?? transactionHash, chain: 'payment' }}
          explorers={explorers}
        />
      </p>
    </li>
  )
}
