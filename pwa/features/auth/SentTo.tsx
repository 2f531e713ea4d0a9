import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'

interface SentToProps {
  email: string
  onBack: () => void
  /** The sentence with the address in it. */
  children: (address: ReactNode) => ReactNode
}

/** Shows where the email was sent, with a link to change the address. */
export function SentTo({ email, onBack, children }: SentToProps) {
  return (
    <p className="text-14 text-ink-10">
      {children(
        <strong translate="no" className="font-strong wrap-anywhere text-ink-12">
          {email}
        </strong>,
      )}{' '}
      <button type="button" onClick={onBack} className="text-accent underline underline-offset-2">
        {t('Use another address')}
      </button>
    </p>
  )
}
