import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import { initializeSetup, SETUP_TOKEN_HEADER, setupStatus } from '#shared/contract/setup.ts'
import { api } from '#pwa/lib/api.ts'
import { setupStatusQuery } from '#pwa/lib/queries.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { PasswordField } from '#pwa/ui/PasswordField.tsx'
import { TextArea } from '#pwa/ui/TextArea.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { findSetupProblem, type SetupFields, type SetupProblem, splitIps } from './findSetupProblem.ts'

const emptyFields: SetupFields = { username: '', password: '', confirmPassword: '', allowedIps: '' }

/** Creates the first administrator, once. */
export function SetupPage() {
  const go = useGo()
  const queryClient = useQueryClient()
  const [fields, setFields] = useState(emptyFields)
  const [problem, setProblem] = useState<SetupProblem | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const { data: status } = useQuery(setupStatusQuery)
  const ips = splitIps(fields.allowedIps)
  const missingIp = ips.length > 0 && status?.currentIP && !ips.includes(status.currentIP) ? status.currentIP : null

  const initialize = useMutation({
    mutationFn: () => {
      const token = readSetupToken()
      const body = { ...fields, allowedIps: splitIps(fields.allowedIps) }
      return api(initializeSetup, { body }, token ? { headers: { [SETUP_TOKEN_HEADER]: token } } : {})
    },
    onSuccess: async () => {
      queryClient.setQueryData([setupStatus.path], { setupRequired: false })
      toast({ title: t('Setup Complete'), description: t('The administrator account is ready.') })
      await go('/admin-login')
    },
    onError: (error) => {
      if (isUnauthorized(error)) return
      // It may be done anyway: by another person, or by this call if its answer was lost.
      void queryClient.invalidateQueries({ queryKey: setupStatusQuery.queryKey })
      // Only the server knows what an address is.
      const message = error instanceof ApiError && error.details.allowedIps
      if (message) complain({ field: 'allowedIps', message })
      toast({
        title: t('Setup Failed'),
        description:
          error instanceof ApiError
            ? errorText(error, t('Failed to complete initial setup'))
            : t('An error occurred during setup. Please try again.'),
        destructive: true,
      })
    },
  })

  function complain(found: SetupProblem) {
    setProblem(found)
    form.current?.querySelector<HTMLElement>(`[name="${found.field}"]`)?.focus()
  }

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const found = findSetupProblem(fields)
    if (!found) {
      setProblem(null)
      return initialize.mutate()
    }
    toast({ title: t('Invalid Input'), description: translateServerText(found.message), destructive: true })
    complain(found)
  }

  const bind = (field: keyof SetupFields) => ({
    name: field,
    value: fields[field],
    error: problem?.field === field ? problem.message : undefined,
    onChange: (event: { target: { value: string } }) => {
      setFields({ ...fields, [field]: event.target.value })
      if (problem?.field === field) setProblem(null)
    },
  })

  if (status?.setupRequired === false) return <SetupDone />
  return (
    <Page title={t('Initial Setup')} isNarrow lead={t('Create the administrator account for this site.')}>
      <Card>
        <form ref={form} noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
          <TextField
            label={t('Admin Username')}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            {...bind('username')}
          />
          <PasswordField
            label={t('Password')}
            autoComplete="new-password"
            hint={t('At least 8 characters.')}
            {...bind('password')}
          />
          <PasswordField label={t('Confirm Password')} autoComplete="new-password" {...bind('confirmPassword')} />
          <TextArea
            label={t('Allowed IP Addresses')}
            rows={3}
            className="exact"
            spellCheck={false}
            autoCapitalize="none"
            placeholder="127.0.0.1"
            hint={[
              t('Separated by commas, spaces or new lines. Only these addresses can open the admin panel.'),
              status?.currentIP && t('Your address is {address}.', { address: status.currentIP }),
            ]
              .filter(Boolean)
              .join(' ')}
            {...bind('allowedIps')}
          />
          {missingIp && (
            <Notice
              tone="warning"
              title={t('Your own address is missing')}
              action={
                <Button variant="secondary" onClick={() => setFields({ ...fields, allowedIps: [...ips, missingIp].join('\n') })}>
                  {t('Add {address}', { address: missingIp })}
                </Button>
              }
            >
              {t('Your address is {address}. Without it, you will lock yourself out of the admin panel.', { address: missingIp })}
            </Notice>
          )}
          <Notice tone="warning" title={t('Before you continue')}>
            <ul className="mt-1 list-disc space-y-1 pl-4">
              <li>{t('Setup can only be done once.')}</li>
              <li>{t('The IP restriction is enforced at once. Include your own address.')}</li>
              <li>{t('Settings can be changed later in the admin panel.')}</li>
            </ul>
          </Notice>
          <Button type="submit" isWide isPending={initialize.isPending} pendingLabel={t('Setting up...')}>
            {t('Complete Setup')}
          </Button>
        </form>
      </Card>
    </Page>
  )
}

const SetupDone = () => (
  <Page title={t('Initial Setup')} isNarrow>
    <Notice title={t('This site is already set up')} action={<ButtonLink to="/admin1">{t('Administrator login')}</ButtonLink>}>
      {t('If it was you, log in with the name and the password that you chose.')}
    </Notice>
  </Page>
)

/** In production the link in the log ends in `#token=…`. Browsers do not send fragments to a server. */
const readSetupToken = (): string | null => new URLSearchParams(window.location.hash.slice(1)).get('token')
