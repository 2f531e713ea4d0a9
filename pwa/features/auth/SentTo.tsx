import type { ReactNode } from 'react'

interface SentToProps {
  email: string
  onBack: () => void
  /** What was sent, up to the address. */
  children: ReactNode
}

/** Where the mail went, and the way back if that was the wrong place. */
export function SentTo({ email, onBack, children }: SentToProps) {
  return (
    <p className="text-14 text-ink-10">
      {children} <strong className="font-strong break-all text-ink-12">{email}</strong>.{' '}
      <button type="button" onClick={onBack} className="text-accent underline underline-offset-2">
        Use another address
      </button>
    </p>
  )
}
