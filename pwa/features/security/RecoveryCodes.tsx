import { useState } from 'react'
import { isUnauthorized, mayBeDone } from '#shared/contract/client.ts'
import { RECOVERY_CODE_COUNT } from '#shared/oneTimeCode.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { OneTimeCodeDialog } from '#pwa/ui/OneTimeCodeDialog.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useRenewRecoveryCodes } from './queries.ts'
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx'

/** With this few codes left the user is advised to renew them. */
const LOW_CODE_COUNT = 3

/** The number of recovery codes left, and a button that renews them after a code. */
export function RecoveryCodes({ left }: { left: number }) {
  const [isAsking, setAsking] = useState(false)
  const [codes, setCodes] = useState<string[] | null>(null)
  const renew = useRenewRecoveryCodes()

  const askForNewOnes = () =>
    renew.mutate(undefined, {
      onSuccess: (answer) => setCodes(answer.codes),
      onError: (error) => {
        if (isUnauthorized(error) || mayBeDone(error)) return
        toast({
          title: t('Failed to Generate Recovery Codes'),
          description: errorText(error, t('Your old ones still work. Please try again.')),
          destructive: true,
        })
      },
    })

  return (
    <div className="mt-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3 border-t border-ink-5 pt-4">
      <div>
        <h3 className="text-14 font-strong">{t('Recovery codes')}</h3>
        {left > LOW_CODE_COUNT ? (
          <p className="figures text-14 text-ink-10">{t('{left} of {total} left', { left, total: RECOVERY_CODE_COUNT })}</p>
        ) : (
          <StatusWord tone="waiting">
            {left === 0 ? t('None left') : t('Only {left} of {total} left', { left, total: RECOVERY_CODE_COUNT })}
          </StatusWord>
        )}
      </div>
      <Button
        variant="secondary"
        className="w-full desk:w-auto"
        needsServer
        onClick={() => setAsking(true)}
        isPending={renew.isPending}
        pendingLabel={t('Preparing...')}
      >
        {t('New recovery codes')}
      </Button>
      {mayBeDone(renew.error) && (
        <Notice tone="error" title={t('No answer from the server')}>
          {t('Your old recovery codes may no longer work. Generate new ones.')}
        </Notice>
      )}
      <OneTimeCodeDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('New Recovery Codes')}
        description={t('Enter the code from your authenticator app. Your current recovery codes will stop working.')}
        onVerified={askForNewOnes}
      />
      <RecoveryCodesDialog codes={codes} onSaved={() => setCodes(null)} />
    </div>
  )
}
