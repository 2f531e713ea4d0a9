import { useQuery } from '@tanstack/react-query'
import type { PayoutCaps } from '#shared/contract/admin/office.ts'
import { t } from '#pwa/i18n/t.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { PAYOUT_CAPS_ID } from '../panel/scrollToTabs.ts'
import { payoutCapsQuery } from '../queries.ts'

/** Says that a cap of 0 has stopped the payouts, and otherwise how to stop them: an administrator who doubts a withdrawal looks for it here. */
export function PayoutStop() {
  const { data: caps } = useQuery(payoutCapsQuery)
  const link = (
    <Link
      to={`/admin-panel?tab=settings#${PAYOUT_CAPS_ID}`}
      className="inline-flex min-h-11 items-center text-14 text-accent underline underline-offset-2"
    >
      {t('Caps of payouts')}
    </Link>
  )
  if (caps && isStopped(caps))
    return (
      <div className="mt-4">
        <Notice tone="warning" title={t('Payouts are stopped')} action={link}>
          {t('A cap is 0 XCR, so no withdrawal is signed until an owner raises it. Nothing is lost.')}
        </Notice>
      </div>
    )
  return (
    <p className="mt-2 flex flex-wrap items-center gap-x-2 text-14 text-ink-10">
      {t('Does a withdrawal look wrong? With a cap of 0 XCR an owner stops all payouts at once.')} {link}
    </p>
  )
}

const isStopped = ({ hour, day }: PayoutCaps): boolean =>
  [hour, day].some(({ environment, panel }) => (panel ?? environment) === 0n)
