import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { beginAdminProof } from '#shared/contract/admin/passkeys.ts'
import { ApiError } from '#shared/contract/client.ts'
import type { PasskeyAnswer } from '#shared/contract/passkeys.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { signWithPasskey, useCanUsePasskeys } from '#pwa/lib/passkeys.ts'
import { DigitsField } from '#pwa/ui/DigitsField.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { submitOnEnter } from '#pwa/ui/submitOnEnter.ts'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { adminPasskeysQuery } from '../queries.ts'

export interface AdminProof {
  fields: ReactNode
  isGiven: boolean
  /** Asks the browser for a passkey where one confirms it. */
  read: () => Promise<{ token?: string; password?: string; passkey?: PasskeyAnswer }>
  /** Empties the field of a code that was refused, for the next one. */
  clearRefused: (error: unknown) => void
}

/** What an administrator confirms a change of access with: a code or a passkey, or the password where the login asks for nothing else. */
export function useAdminProof(): AdminProof {
  const { data, isPending } = useQuery(adminPasskeysQuery)
  const canUse = useCanUsePasskeys()
  const [token, setToken] = useState('')
  const [password, setPassword] = useState('')
  const [wantsPasskey, setWantsPasskey] = useState(false)
  const codeField = useRef<HTMLInputElement>(null)
  const clearRefused = (error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'otp_invalid')) return
    setToken('')
    codeField.current?.focus()
  }
  const factors = data?.factors ?? []
  const hasCode = factors.includes('code')
  const hasPasskey = factors.includes('passkey') && canUse

  const passwordField = (
    <PasswordField
      label={t('Your password')}
      name="proofPassword"
      autoComplete="current-password"
      value={password}
      onChange={(event) => setPassword(event.target.value)}
    />
  )
  if (isPending) return { fields: <Skeleton className="h-18" />, isGiven: false, read: async () => ({}), clearRefused }
  if (factors.length === 0)
    return { fields: passwordField, isGiven: password !== '', read: async () => ({ password }), clearRefused }
  const switchKind = (
    <TextButton onClick={() => setWantsPasskey(!wantsPasskey)}>
      {t(wantsPasskey ? 'Confirm with a code instead' : 'Confirm with a passkey instead')}
    </TextButton>
  )
  if (!hasCode || (hasPasskey && wantsPasskey)) {
    const text = (
      <p className="text-14 text-ink-10">{t('Your device will first ask for a passkey that you have already added.')}</p>
    )
    return {
      fields: (
        <div>
          {text}
          {hasCode && switchKind}
        </div>
      ),
      isGiven: true,
      read: async () => ({ passkey: await signWithPasskey(await api(beginAdminProof, {})) }),
      clearRefused,
    }
  }
  const needsPassword = data?.needsPassword ?? false
  return {
    fields: (
      <div className="flex flex-col gap-4">
        {needsPassword && passwordField}
        <DigitsField
          ref={codeField}
          label={t('Current 6-digit code')}
          value={token}
          onChange={setToken}
          onKeyDown={submitOnEnter}
        />
        {hasPasskey && switchKind}
      </div>
    ),
    isGiven: token.length === CODE_LENGTH && (!needsPassword || password !== ''),
    read: async () => ({ token, ...(needsPassword && { password }) }),
    clearRefused,
  }
}
