import type { ReactNode } from 'react'
import type { ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { formatTime } from '../zone/officeZone.ts'
import { countNodes } from '../countNodes.ts'
import { InlinePersonLink } from '../person/PersonLink.tsx'
import { RowButton } from '../lists/RowButton.tsx'
import { PaymentLink } from './PaymentLink.tsx'
import { nameDeposit, reasonWords, formatUsdt, restoredText } from './purchaseWords.ts'
import { ReviewRow } from './ReviewRow.tsx'
import type { DepositQuestion } from './questions.ts'

interface ReviewedDepositProps {
  deposit: ReviewDeposit
  /** The purchase that the deposit is attached to, if that is in review too. */
  purchase: Purchase | undefined
  onAsk: (about: DepositQuestion['about']) => void
}

export function ReviewedDeposit({ deposit, purchase, onAsk }: ReviewedDepositProps) {
  const payment = nameDeposit(deposit)
  return (
    <ReviewRow
      title={t('Payment of {amount}', { amount: formatUsdt(deposit.amount) })}
      reason={[wordOf(reasonWords, deposit.reason), deposit.mayBeRefunded && restoredText()].filter(Boolean).join(' ')}
      dueBy={deposit.dueBy}
      targets={[`deposit:${deposit.id}`]}
      facts={[
        [t('Sender'), <PaymentLink key="sender" kind="address" value={deposit.sender} />],
        [t('Tx'), <PaymentLink key="tx" kind="tx" value={deposit.transactionHash} />],
        [t('Probably from'), <ProbableUser key="user" deposit={deposit} />],
        ...proversFact(deposit),
        ...reportersFact([deposit]),
        ...(deposit.purchaseId
          ? [[t('Intended for'), purchase ? <OfPurchase key="purchase" purchase={purchase} /> : closedWord(deposit)] as const]
          : []),
        [
          t('Seen'),
          <span key="seen" className="figures">
            {formatTime(deposit.seenAt)}
          </span>,
        ],
      ]}
      actions={
        deposit.reason === 'orphaned' ? (
          <>
            <RowButton label={t('Restore nodes: {payment}', { payment })} onClick={() => onAsk('restore')}>
              {t('Restore nodes')}
            </RowButton>
            <RowButton label={t('Leave frozen: {payment}', { payment })} onClick={() => onAsk('leave')}>
              {t('Leave frozen')}
            </RowButton>
          </>
        ) : (
          <>
            <RowButton label={t('Assign the {payment}', { payment })} onClick={() => onAsk('assign')}>
              {t('Assign')}
            </RowButton>
            <RowButton label={t('Mark refunded: {payment}', { payment })} onClick={() => onAsk('refund')}>
              {t('Mark refunded')}
            </RowButton>
            <RowButton label={t('Ignore the {payment}', { payment })} onClick={() => onAsk('ignore')}>
              {t('Ignore')}
            </RowButton>
          </>
        )
      }
    />
  )
}

/** The account that a payment probably comes from. */
export const ProbableUser = ({ deposit: { probableUserId: id, probableUserEmail: email } }: { deposit: ReviewDeposit }) =>
  id && email ? <InlinePersonLink id={id} email={email} /> : (email ?? t('unknown user'))

/** Who has proven the wallet of a payment, perhaps after it, and when. Nothing if an older server does not tell. */
export const proversFact = ({ provers }: ReviewDeposit): [name: string, value: ReactNode][] =>
  provers ? [[t('Wallet proven by'), provers.length === 0 ? t('nobody') : <Provers key="provers" provers={provers} />]] : []

const Provers = ({ provers }: { provers: NonNullable<ReviewDeposit['provers']> }) => (
  <span className="flex flex-wrap gap-x-3 max-md:flex-col">
    {provers.map(({ userId, email, provenAt }) => (
      // On a phone the time is below the email, close to it, whatever their lengths.
      <span key={userId} className="figures flex flex-wrap items-center gap-x-1.5 max-md:flex-col max-md:items-start max-md:pb-2">
        <InlinePersonLink id={userId} email={email} />{' '}
        <span className="max-md:-mt-2 md:whitespace-nowrap">({formatTime(provenAt)})</span>
      </span>
    ))}
  </span>
)

/** Who has reported one of these payments. Nothing if nobody has. */
export function reportersFact(deposits: readonly ReviewDeposit[]): [name: string, value: ReactNode][] {
  const reporters = new Map(deposits.flatMap(({ reporters = [] }) => reporters.map(({ userId, email }) => [userId, email])))
  if (reporters.size === 0) return []
  const links = [...reporters].map(([id, email]) => <InlinePersonLink key={id} id={id} email={email} />)
  return [
    [
      t('Reported by'),
      <span key="reporters" className="flex flex-wrap gap-x-3">
        {links}
      </span>,
    ],
  ]
}

const OfPurchase = ({ purchase: { finalQuantity, requestedQuantity, user } }: { purchase: Purchase }) => (
  <T
    text="purchase of {nodes} by {email}"
    nodes={countNodes(finalQuantity ?? requestedQuantity)}
    email={<InlinePersonLink {...user} />}
  />
)

const closedWord = ({ reason }: ReviewDeposit): string =>
  t(reason === 'orphaned' ? 'a purchase that has its nodes' : 'a purchase that is closed')
