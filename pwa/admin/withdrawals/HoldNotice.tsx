import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { t } from '#pwa/i18n/t.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { Notice } from '#pwa/ui/Notice.tsx'
import { formatTime } from '../zone/officeZone.ts'

/** Says whether the account is frozen or the withdrawal on hold, and why. */
export function HoldNotice({ withdrawal: { heldUntil, account } }: { withdrawal: AdminWithdrawal }) {
  const now = useServerTime()
  const isLater = (time: Date | null): time is Date => time !== null && time > now
  if (account.frozenAt && (!account.thawsAt || account.thawsAt > now))
    return (
      <Notice tone="warning" title={t('The account is frozen since {time}', { time: formatTime(account.frozenAt) })}>
        {account.thawsAt
          ? t(
              'It was frozen with the link in one of its mails, or by an operator. Its owner has planned the thaw for {time}. Until then the withdrawal cannot be approved.',
              {
                time: formatTime(account.thawsAt),
              },
            )
          : t(
              'It was frozen with the link in one of its mails, or by an operator. The withdrawal can be approved only after a thaw.',
            )}
      </Notice>
    )
  if (isLater(heldUntil))
    return (
      <Notice tone="warning" title={t('On hold until {time}', { time: formatTime(heldUntil) })}>
        {t('The account was frozen, or its wallet, password or authenticator was changed.')}
      </Notice>
    )
  if (isLater(account.heldUntil))
    return (
      <Notice
        tone="warning"
        title={t('New withdrawals of the account are on hold until {time}', { time: formatTime(account.heldUntil) })}
      >
        {t('Its password or authenticator was reset, or it was thawed. This withdrawal is not on hold.')}
      </Notice>
    )
  return null
}
