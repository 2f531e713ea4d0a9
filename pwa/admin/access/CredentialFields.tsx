import type { ComponentProps } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'

interface CredentialFieldsProps {
  username: string
  onUsername: (username: string) => void
  password: string
  onPassword: (password: string) => void
  /** What differs between a known and a new password. */
  passwordField: Pick<ComponentProps<typeof PasswordField>, 'name' | 'autoComplete' | 'hint'>
}

/** An administrator's name and password. */
export const CredentialFields = ({ username, onUsername, password, onPassword, passwordField }: CredentialFieldsProps) => (
  <>
    <TextField
      label={t('Username')}
      name="username"
      autoFocus
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      value={username}
      onChange={(event) => onUsername(event.target.value)}
    />
    <PasswordField
      {...passwordField}
      label={t('Password')}
      value={password}
      onChange={(event) => onPassword(event.target.value)}
    />
  </>
)
