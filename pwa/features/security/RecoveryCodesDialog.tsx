import { useQuery } from '@tanstack/react-query'
import { Check, Copy, Download } from '#pwa/ui/icons.ts'
import { useEffect, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Checkbox } from '#pwa/ui/Checkbox.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useCopy } from '#pwa/ui/useCopy.ts'
import { saveText } from '#pwa/lib/saveText.ts'

interface RecoveryCodesDialogProps {
  /** Null: closed. */
  codes: readonly string[] | null
  onSaved: () => void
}

/** Shows new recovery codes. They are shown only once, so closing requires a confirmation that they are saved. */
export function RecoveryCodesDialog({ codes, onSaved }: RecoveryCodesDialogProps) {
  return (
    <Dialog
      open={codes !== null}
      onOpenChange={onSaved}
      isHeld
      title={t('Save your recovery codes')}
      description={t(
        "If you lose your phone, use one of these instead of an authenticator code. Each works once. They won't be shown again.",
      )}
    >
      {codes && <Codes codes={codes} onSaved={onSaved} />}
    </Dialog>
  )
}

function Codes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const [isSaved, setSaved] = useState(false)
  const { isCopied, copy } = useCopy({ what: t('recovery codes'), done: t('Copied') })
  const { data: config } = useQuery(configQuery)
  const user = useAuthUser()
  // A reload would lose them.
  useEffect(() => {
    if (isSaved) return
    const warn = (event: Event) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isSaved])

  function download() {
    const heading = t('{brand}: recovery codes for {account}', {
      brand: config?.brandName ?? 'XCR Nodes',
      account: user?.email ?? t('your account'),
    })
    saveText('recovery-codes.txt', [heading, formatDateTime(new Date()), '', ...codes, ''].join('\n'))
    toast({ title: t('Recovery Codes Downloaded'), description: t('Keep the file where only you can access it.') })
  }

  return (
    <div className="flex flex-col gap-4">
      <ul
        translate="no"
        aria-label={t('Recovery codes')}
        className="exact grid grid-cols-2 gap-x-4 gap-y-2 rounded-input border border-ink-5 bg-ink-2 p-4 text-center text-16 font-strong tracking-[0.04em]"
      >
        {codes.map((code) => (
          <li key={code} className="select-all">
            {code}
          </li>
        ))}
      </ul>
      <div className="grid grid-cols-2 gap-2">
        <Button variant="secondary" onClick={() => void copy(codes.join('\n'))}>
          {isCopied ? <Check size={16} aria-hidden className="text-green" /> : <Copy size={16} aria-hidden />}
          {t('Copy')}
        </Button>
        <Button variant="secondary" onClick={download}>
          <Download size={16} aria-hidden />
          {t('Download')}
        </Button>
      </div>
      <Checkbox checked={isSaved} onChange={setSaved}>
        {t('I have saved these codes in a safe place.')}
      </Checkbox>
      <Button isWide disabled={!isSaved} onClick={onSaved}>
        {t('Continue')}
      </Button>
    </div>
  )
}
