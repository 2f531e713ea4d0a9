import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { acceptInvitation, acceptInvitationPayload } from '#shared/contract/admin/administrators.ts'
import { ApiError } from '#shared/contract/client.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { ClearIpsHint } from './ClearIpsHint.tsx'
import { CredentialFields } from './CredentialFields.tsx'

/** Where the link of an invitation leads: name and password of the new administrator, who then logs in. */
export function AcceptInvitation({ token, onDone }: { token: string; onDone: (username: string) => void }) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const join = useMutation({
    mutationFn: () => api(acceptInvitation, { body: { token, username, password } }),
    onSuccess: (joined) => onDone(joined.username),
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const checked = acceptInvitationPayload.safeParse({ token, username, password })
    setProblem(checked.success ? undefined : checked.error.issues[0]!.message)
    if (checked.success) join.mutate()
  }

  const { error } = join
  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
      {(problem ?? error) && (
        <Notice tone="error" title={t('You have not joined yet')}>
          {problem ? translateServerText(problem) : errorText(error, t('Please try again.'))}
          {error instanceof ApiError && error.code === 'ip_not_allowed' && <ClearIpsHint />}
        </Notice>
      )}
      <CredentialFields
        username={username}
        onUsername={setUsername}
        password={password}
        onPassword={setPassword}
        passwordField={{
          name: 'newPassword',
          autoComplete: 'new-password',
          hint: t('At least 8 characters. A long sentence is better.'),
        }}
      />
      <Button type="submit" isWide needsServer isPending={join.isPending} pendingLabel={t('Joining...')}>
        {t('Join')}
      </Button>
    </form>
  )
}
