import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { beginAdminProof } from '#shared/contract/admin/passkeys.ts'
import type { PasskeyAnswer } from '#shared/contract/passkeys.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { signWithPasskey, useCanUsePasskeys } from '#pwa/lib/passkeys.ts'
import { DigitsField } from '#pwa/ui/DigitsField.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { submitOnEnter } from '#pwa/ui/submitOnEnter.ts'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { adminPasskeysQuery } from '../queries.ts'

export interface AdminProof {
  fields: ReactNode
  isGiven: boolean
  /** Asks the browser for a passkey where one confirms it. */
  read: () => Promise<{ token?: string; password?: string; passkey?: PasskeyAnswer }>
}

/** What an administrator confirms a change of access with: a code or a passkey, or the password where the login asks for nothing else. */
export function useAdminProof(): AdminProof {
  const { data } = useQuery(adminPasskeysQuery)
  const canUse = useCanUsePasskeys()
  const [token, setToken] = useState('')
  const [password, setPassword] = useState('')
  const [wantsPasskey, setWantsPasskey] = useState(false)
  const factors = data?.factors ?? []
  const hasCode = factors.includes('code')
  const hasPasskey = factors.includes('passkey') && canUse

  if (factors.length === 0) {
    const field = (
      <PasswordField
        label={t('Your password')}
        name="proofPassword"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    )
    return { fields: field, isGiven: password !== '', read: async () => ({ password }) }
  }
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
    }
  }
  return {
    fields: (
      <div>
        <DigitsField label={t('Current 6-digit code')} value={token} onChange={setToken} onKeyDown={submitOnEnter} />
        {hasPasskey && switchKind}
      </div>
    ),
    isGiven: token.length === CODE_LENGTH,
    read: async () => ({ token }),
  }
}
