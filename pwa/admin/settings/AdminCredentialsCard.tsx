import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changeAdminCredentials } from '#shared/contract/admin/login.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { adminCredentialsQuery, useRefetchAdmin } from '../queries.ts'
import { toastFailure } from '../toastFailure.ts'
import { renameDrafts } from '../useDraft.ts'
import { type CredentialsFields, type CredentialsProblem, findCredentialsProblem, isWeak } from './findCredentialsProblem.ts'
import { SettingError } from './SettingError.tsx'

const emptyFields: CredentialsFields = { currentPassword: '', newUsername: '', newPassword: '', confirmPassword: '' }

/** The administrator's own name and password. */
export function AdminCredentialsCard() {
  const { data, error, refetch } = useQuery(adminCredentialsQuery)
  return (
    <Card>
      <CardHeader title={t('Admin credentials')} />
      {error && !data && <SettingError error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton className="h-96" />}
      {data && <CredentialsForm username={data.username} />}
    </Card>
  )
}

function CredentialsForm({ username }: { username: string }) {
  const queryClient = useQueryClient()
  const refetchAdmin = useRefetchAdmin()
  const [fields, setFields] = useState(emptyFields)
  const [problem, setProblem] = useState<CredentialsProblem | null>(null)

  const change = useMutation({
    mutationFn: () => {
      const { currentPassword, newUsername, newPassword } = fields
      return api(changeAdminCredentials, {
        body: {
          currentPassword,
          ...(newUsername.trim() && { newUsername: newUsername.trim() }),
          ...(newPassword.trim() && { newPassword }),
        },
      })
    },
    onSuccess: async ({ username, message }) => {
      setFields(emptyFields)
      renameDrafts(username)
      applyAnswer(queryClient, adminCredentialsQuery, { username })
      toast({ title: t('Admin Credentials Updated'), description: translateServerText(message) })
      await refetchAdmin()
    },
    onError: (error) => toastFailure(error, t('Failed to update credentials')),
  })

  function handleSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const found = findCredentialsProblem(fields)
    setProblem(found)
    if (!found) return change.mutate()
    toast({ title: t('Invalid Input'), description: translateServerText(found.message), destructive: true })
    event.currentTarget.querySelector<HTMLElement>(`[name="${found.field}"]`)?.focus()
  }

  const bind = (field: keyof CredentialsFields) => ({
    name: field,
    value: fields[field],
    error: problem?.field === field ? problem.message : undefined,
    onChange: (event: { target: { value: string } }) => {
      setFields({ ...fields, [field]: event.target.value })
      setProblem(null)
    },
  })

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
      <p className="text-14 text-ink-10">
        <T
          text="Your username is {username}. A change ends every other administrator session."
          username={
            <strong translate="no" className="font-strong text-ink-12">
              {username}
            </strong>
          }
        />
      </p>
      <PasswordField label={t('Current password')} autoComplete="current-password" {...bind('currentPassword')} />
      <TextField
        label={t('New username')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint={t('Leave it empty to keep the current one.')}
        {...bind('newUsername')}
      />
      <PasswordField
        label={t('New password')}
        autoComplete="new-password"
        hint={t('Leave it empty to keep the current one.')}
        {...bind('newPassword')}
      />
      {isWeak(fields.newPassword) && (
        <div role="status">
          <Notice tone="warning" title={t('A short password')}>
            {t(
              'It is accepted, but easy for a program to guess. Use 12 or more characters, because this account controls everything.',
            )}
          </Notice>
        </div>
      )}
      <PasswordField label={t('Confirm new password')} autoComplete="new-password" {...bind('confirmPassword')} />
      <Button type="submit" isPending={change.isPending} pendingLabel={t('Updating...')} className="desk:self-start">
        {t('Update credentials')}
      </Button>
    </form>
  )
}
