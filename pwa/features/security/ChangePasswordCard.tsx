import { type FormEvent, useRef, useState } from 'react'
import { ApiError, isUnauthorized, mayBeDone } from '#shared/contract/client.ts'
import { findNewPasswordProblem, NEW_PASSWORD_SIGNS } from '#shared/passwordRules.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useChangePassword } from './queries.ts'

const empty = { current: '', next: '', confirmation: '' }
type Passwords = typeof empty

export function ChangePasswordCard() {
  const user = useAuthUser()
  const [typed, setTyped] = useState<Passwords>(empty)
  const [isNextTouched, setNextTouched] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const change = useChangePassword()
  const set = (part: keyof Passwords) => (event: { target: { value: string } }) =>
    setTyped({ ...typed, [part]: event.target.value })

  function showError(part: keyof Passwords | undefined, description: string) {
    toast({ title: t('Password Change Failed'), description, destructive: true })
    if (part) form.current?.querySelector<HTMLInputElement>(`[name="${part}"]`)?.focus()
  }

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const problem = findProblem(typed)
    if (problem) return showError(problem.part, problem.text)
    change.mutate(
      { currentPassword: typed.current, newPassword: typed.next },
      {
        onSuccess: () => {
          setTyped(empty)
          setNextTouched(false)
          toast({ title: t('Password Changed Successfully'), description: t('You are logged out everywhere else.') })
        },
        onError: (error) => {
          if (isUnauthorized(error)) return
          if (mayBeDone(error)) return showUnanswered()
          const isCurrentWrong = error instanceof ApiError && error.code === 'invalid_credentials'
          showError(isCurrentWrong ? 'current' : undefined, errorText(error, t('Please try again.')))
        },
      },
    )
  }

  const newPasswordError = isNextTouched && typed.next ? findNewPasswordProblem(typed.next) : undefined
  const isDifferent = typed.confirmation !== '' && typed.confirmation !== typed.next
  return (
    <Card>
      <CardHeader title={t('Change Password')} />
      <form ref={form} noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
        {/* Tells the password manager which account the password belongs to. */}
        <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
        <PasswordField
          label={t('Current Password')}
          name="current"
          autoComplete="current-password"
          value={typed.current}
          onChange={set('current')}
        />
        <PasswordField
          label={t('New Password')}
          name="next"
          autoComplete="new-password"
          hint={t('At least 8 characters, with uppercase, lowercase, a number and one of {signs}', {
            signs: NEW_PASSWORD_SIGNS,
          })}
          error={newPasswordError}
          value={typed.next}
          onChange={set('next')}
          onBlur={() => setNextTouched(true)}
        />
        <PasswordField
          label={t('Confirm New Password')}
          name="confirmation"
          autoComplete="new-password"
          error={isDifferent ? t('Passwords do not match.') : undefined}
          value={typed.confirmation}
          onChange={set('confirmation')}
        />
        <Button type="submit" className="desk:self-start" isPending={change.isPending} pendingLabel={t('Changing Password...')}>
          {t('Change Password')}
        </Button>
      </form>
    </Card>
  )
}

const showUnanswered = (): void =>
  void toast({
    title: t('No answer from the server'),
    description: t('Your password may have been changed. Try the new one first.'),
    destructive: true,
  })

/** The first invalid field and its message, in the order of the validation rules. */
function findProblem({ current, next, confirmation }: Passwords): { part: keyof Passwords; text: string } | undefined {
  if (!current) return { part: 'current', text: t('Please enter your current password.') }
  if (next !== confirmation) return { part: 'confirmation', text: t('New password and confirmation password do not match.') }
  const text = findNewPasswordProblem(next)
  return text ? { part: 'next', text: translateServerText(text) } : undefined
}
