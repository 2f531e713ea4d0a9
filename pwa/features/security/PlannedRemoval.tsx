import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { otpStatusQuery } from '#pwa/lib/queries.ts'
import { useFreeze } from '#pwa/lib/useFreeze.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { OneTimeCodeDialog } from '#pwa/ui/OneTimeCodeDialog.tsx'
import { toast } from '#pwa/ui/toast.ts'

/** Support was told that the authenticator is lost. A code of it cancels its removal. */
export function PlannedRemoval({ resetsAt }: { resetsAt: Date }) {
  const queryClient = useQueryClient()
  const frozen = useFreeze()
  const [isAsking, setAsking] = useState(false)
  return (
    <div className="mt-4">
      <Notice
        tone="warning"
        title={t('Your authenticator will be removed')}
        action={
          <Button variant="secondary" needsServer onClick={() => setAsking(true)}>
            {t('Keep authenticator')}
          </Button>
        }
      >
        {t('Our support was asked to remove it as lost. That happens on {time}.', { time: formatDateTime(resetsAt) })}
        <LocalTime date={resetsAt} hasDay />{' '}
        {t(
          frozen
            ? "If you still have it, keep it with a code. If you didn't ask for this, contact us."
            : "If you still have it, keep it with a code. If you didn't ask for this, freeze your account below and contact us.",
        )}
      </Notice>
      <OneTimeCodeDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('Keep authenticator')}
        description={t('Enter the code from your authenticator app. Then it is not removed.')}
        onVerified={() => {
          toast({ title: t('Authenticator kept'), description: t('It is not removed.') })
          void queryClient.invalidateQueries({ queryKey: otpStatusQuery.queryKey })
        }}
      />
    </div>
  )
}
