import { type ReactNode, useRef, useState } from 'react'
import { msg, t } from '#pwa/i18n/t.ts'
import { ReasonField } from './ReasonField.tsx'
import { useDialogDraft } from './useDialogDraft.ts'

interface Options {
  /** Names the decision and its object: what was typed is kept under it until the dialog closes. */
  about: string
  isOptional?: boolean | undefined
  label?: string
  hint?: string | undefined
}

interface Reason {
  field: ReactNode
  /** What was typed. If it is required and missing, it complains, moves the focus there and returns nothing. */
  take: () => { reason: string } | undefined
  clear: () => void
}

/** The reason for a decision, which the audit log keeps. Required unless it is `isOptional`. */
export function useReason({ about, isOptional = false, label, hint }: Options): Reason {
  const [text, setText] = useDialogDraft(`reason: ${about}`, '')
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  return {
    clear: () => setText(''),
    field: (
      <ReasonField
        ref={field}
        label={label ?? (isOptional ? t('Notes (optional)') : t('Reason'))}
        {...(hint && { hint })}
        value={text}
        onChange={(next) => {
          setText(next)
          setProblem(undefined)
        }}
        error={isOptional ? undefined : problem}
      />
    ),
    take() {
      const reason = text.trim()
      if (reason || isOptional) return { reason }
      setProblem(msg('Please enter a reason.'))
      field.current?.focus()
      return undefined
    },
  }
}
