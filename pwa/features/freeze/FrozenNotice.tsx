import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { otpStatusQuery } from '#pwa/lib/queries.ts'
import { useFreeze } from '#pwa/lib/useFreeze.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { FreezeDialog } from './FreezeDialog.tsx'
import { SupportLink } from '#pwa/ui/SupportLink.tsx'
import { ThawDialog } from './ThawDialog.tsx'

/** While the account is frozen: what that means, when it is thawed, and how. */
export function FrozenNotice() {
  const frozen = useFreeze()
  const { data: otp } = useQuery({ ...otpStatusQuery, enabled: frozen !== undefined })
  const [open, setOpen] = useState<'thaw' | 'freeze'>()
  if (!frozen) return null
  const { thawsAt } = frozen
  const openIf = (dialog: typeof open) => (isOpen: boolean) => setOpen(isOpen ? dialog : undefined)
  return (
    <Notice
      tone="warning"
      title={t('Your account is frozen')}
      action={
        thawsAt ? (
          <Button variant="secondary" needsServer onClick={() => setOpen('freeze')}>
            {t('Keep it frozen')}
          </Button>
        ) : (
          otp?.otpEnabled && (
            <Button needsServer onClick={() => setOpen('thaw')}>
              {t('Thaw account')}
            </Button>
          )
        )
      }
    >
      <p>{t('Withdrawals and changes of password, authenticator and wallet are refused. Nodes, payments and rewards go on.')}</p>
      {thawsAt && (
        <p className="mt-1 figures">
          {t('It is thawed on {time}.', { time: formatDateTime(thawsAt) })}
          <LocalTime date={thawsAt} hasDay />{' '}
          {t("Withdrawals stay on hold for 24 hours after that. If you didn't start this, keep it frozen.")}
        </p>
      )}
      {!thawsAt && otp?.otpEnabled === false && (
        <p className="mt-1">
          {t('It has no authenticator, so our support thaws it after a check. Contact us:')} <SupportLink />
        </p>
      )}
      <ThawDialog open={open === 'thaw'} onOpenChange={openIf('thaw')} />
      <FreezeDialog open={open === 'freeze'} onOpenChange={openIf('freeze')} title={t('Keep your account frozen?')} />
    </Notice>
  )
}
