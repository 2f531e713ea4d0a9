import { useQuery } from '@tanstack/react-query'
import { Check } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import { t } from '#pwa/i18n/t.ts'
import { otpStatusQuery, purchasesQuery } from '#pwa/lib/queries.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { hasOpenPayment } from '../purchase/describePayments.ts'
import { usePaymentReports } from '../purchase/paymentOutbox.ts'
import { useOpenWallets } from '../wallet/useOpenWallets.ts'
import { BuyLink } from './BuyLink.tsx'

interface Step {
  name: string
  text: string
  isDone: boolean
  action?: ReactNode
}

/** The steps of a new account to its first node and reward, in place of figures that are all zero. */
export function FirstSteps({ user }: { user: AuthUser }) {
  const { isEnabled } = useSale()
  const { data: otp } = useQuery(otpStatusQuery)
  const { data: purchases } = useQuery(purchasesQuery)
  const reports = usePaymentReports((outbox) => outbox.reports).filter(({ userId }) => userId === user.id)
  const isPaid = hasOpenPayment({ purchases, reports })
  const openWallets = useOpenWallets()
  const steps: Step[] = [
    {
      name: t('Connect your wallet'),
      text: t('You pay from this wallet and receive your XCR in it.'),
      isDone: user.walletAddress !== null,
      action: (
        <Button variant="secondary" disabled={!isEnabled} onClick={openWallets}>
          {t('Connect Wallet')}
        </Button>
      ),
    },
    {
      name: t('Set up your authenticator'),
      text: t('Every purchase and withdrawal requires its code.'),
      isDone: otp?.otpEnabled === true,
      action: (
        <ButtonLink to="/security" variant="secondary">
          {t('Set up')}
        </ButtonLink>
      ),
    },
    {
      name: t('Buy your first node'),
      text: t(
        isPaid
          ? 'You have sent a payment. Its state is at the top of the page.'
          : 'Pay with USDT on BNB Smart Chain. Your nodes arrive within minutes.',
      ),
      isDone: false,
      // Right after a payment, this button would ask a newcomer to pay a second time.
      action: !isPaid && <BuyLink />,
    },
    {
      name: t('Get your first reward'),
      text: t('Nodes earn from 24 hours after payment. Rewards are paid daily at 09:00 UTC.'),
      isDone: false,
    },
  ]
  const next = steps.findIndex(({ isDone }) => !isDone)

  return (
    <Card>
      <h2 className="mb-4 text-20 font-strong">{t('Four steps to your first reward')}</h2>
      <ol className="flex flex-col gap-4">
        {steps.map(({ name, text, isDone, action }, index) => (
          <li key={name} aria-current={index === next ? 'step' : undefined} className="flex items-start gap-3">
            <span
              aria-hidden
              className={`figures grid size-8 shrink-0 place-items-center rounded-full text-14 ${isDone ? 'bg-ink-3 text-green' : index === next ? 'bg-accent text-on-accent' : 'bg-ink-3 text-ink-10'}`}
            >
              {isDone ? <Check size={16} /> : index + 1}
            </span>
            <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <span className="min-w-0 flex-1 basis-56">
                <span className="block font-strong">
                  {name}
                  {isDone && <span className="sr-only"> ({t('done')})</span>}
                </span>
                <span className="block text-14 text-ink-10">{text}</span>
              </span>
              {index === next && action}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
