import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { adminSetupOtp } from '#shared/contract/admin/login.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { keepShownSecret, readShownSecret } from '#pwa/lib/shownSecret.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { adminOtpStatusQuery, adminPasskeysQuery } from '../queries.ts'
import { toastFailure } from '../toastFailure.ts'
import { DisableAdminOtpDialog } from './DisableAdminOtpDialog.tsx'
import { SettingError } from './SettingError.tsx'
import { SetupAdminOtpDialog } from './SetupAdminOtpDialog.tsx'

/** The second factor of the administrator's login. */
export function AdminAuthenticatorCard() {
  const { data, error, refetch } = useQuery(adminOtpStatusQuery)
  const { data: passkeys } = useQuery(adminPasskeysQuery)
  const needsPasskey = passkeys?.factors.includes('passkey') === true
  const [setup, setSetup] = useState<Output<typeof adminSetupOtp> | null>(null)
  const [isDisabling, setDisabling] = useState(false)
  const setupOtp = useMutation({
    mutationFn: () => api(adminSetupOtp, { body: readShownSecret() }),
    onSuccess: (shown) => {
      keepShownSecret(shown)
      setSetup(shown)
    },
    onError: (error) => toastFailure(error, t('OTP Setup Failed'), t('Failed to generate OTP setup data.')),
  })

  return (
    <Card>
      <CardHeader title={t('Admin authenticator')}>
        {data?.otpEnabled === true && <StatusWord tone="done">{t('ENABLED')}</StatusWord>}
        {data?.otpEnabled === false && <StatusWord tone="waiting">{t('DISABLED')}</StatusWord>}
      </CardHeader>
      {error && !data && <SettingError error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton className="h-28" />}
      {data && (
        <>
          <dl className="flex flex-col gap-3">
            <Row name={t('Security level')}>
              {!data.otpEnabled && needsPasskey
                ? t('Enhanced (password plus passkey)')
                : t(data.otpEnabled ? 'Enhanced (password plus one-time code)' : 'Basic (password only)')}
            </Row>
            {data.otpEnabled && (
              <Row name={t('Login process')}>
                {needsPasskey
                  ? t('First your username and password, then a passkey or the 6-digit code from your authenticator app.')
                  : t('First your username and password, then the 6-digit code from your authenticator app.')}
              </Row>
            )}
          </dl>
          {data.otpEnabled ? (
            <Button variant="secondary" className="mt-5 w-full desk:w-auto" onClick={() => setDisabling(true)}>
              {t('Disable OTP')}
            </Button>
          ) : (
            <Button
              className="mt-5 w-full desk:w-auto"
              onClick={() => setupOtp.mutate()}
              isPending={setupOtp.isPending}
              pendingLabel={t('Preparing...')}
            >
              {t('Setup OTP')}
            </Button>
          )}
        </>
      )}
      <SetupAdminOtpDialog setup={setup} onClose={() => setSetup(null)} />
      <DisableAdminOtpDialog open={isDisabling} onClose={() => setDisabling(false)} />
    </Card>
  )
}

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt className="text-12 text-ink-9">{name}</dt>
    <dd className="text-14 text-ink-12">{children}</dd>
  </div>
)
