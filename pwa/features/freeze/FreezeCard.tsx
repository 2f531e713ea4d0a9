import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useFreeze } from '#pwa/lib/useFreeze.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { FreezeDialog } from './FreezeDialog.tsx'

/** Freezes the account, as the links of security mails do. */
export function FreezeCard() {
  const frozen = useFreeze()
  const [isAsking, setAsking] = useState(false)
  if (frozen) return null
  return (
    <Card>
      <h2 className="font-strong">{t('Freeze Account')}</h2>
      <p className="mt-1 text-14 text-ink-10 text-pretty">
        {t(
          'If you think that somebody else uses your account: nobody can withdraw or change anything until you thaw it. Every security mail has a link that does the same.',
        )}
      </p>
      <Button variant="secondary" needsServer className="mt-5 w-full desk:w-auto" onClick={() => setAsking(true)}>
        {t('Freeze account')}
      </Button>
      <FreezeDialog open={isAsking} onOpenChange={setAsking} title={t('Freeze your account?')} />
    </Card>
  )
}
