import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { adminDisableOtp } from '#shared/contract/admin/login.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { DigitsField } from '#pwa/ui/DigitsField.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { submitOnEnter } from '#pwa/ui/submitOnEnter.ts'
import { toast } from '#pwa/ui/toast.ts'
import { adminOtpStatusQuery, adminPasskeysQuery } from '../queries.ts'
import { toastFailure } from '../toastFailure.ts'
import { toastInvalidCode } from '../toastInvalidCode.ts'

export function DisableAdminOtpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onOpenChange={onClose} title={t('Disable OTP')}>
      <DisableForm onClose={onClose} />
    </Dialog>
  )
}

function DisableForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const { data: passkeys } = useQuery(adminPasskeysQuery)
  const hasPasskeys = passkeys?.factors.includes('passkey') === true
  const [token, setToken] = useState('')
  const disable = useMutation({
    mutationFn: () => api(adminDisableOtp, { body: { token } }),
    onSuccess: () => {
      applyAnswer(queryClient, adminOtpStatusQuery, { otpEnabled: false })
      void queryClient.invalidateQueries({ queryKey: adminPasskeysQuery.queryKey })
      toast({
        title: t('OTP Disabled'),
        description: hasPasskeys
          ? t('The administrator login requires the password and a passkey.')
          : t('The administrator login requires only the password.'),
      })
      onClose()
    },
    onError: (error) => {
      setToken('')
      toastFailure(error, t('OTP Disable Failed'), t('Failed to disable two-factor authentication.'))
    },
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (token.length !== CODE_LENGTH) return toastInvalidCode()
    disable.mutate()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-5">
      {hasPasskeys ? (
        <Notice tone="warning" title={t('The login will no longer accept codes')}>
          {t('It requires the password and one of your passkeys. Keep at least two of them.')}
        </Notice>
      ) : (
        <Notice tone="warning" title={t('Disabling reduces security')}>
          {t('Anyone who knows the password can then log in as administrator.')}
        </Notice>
      )}
      <DigitsField label={t('Current 6-digit code')} value={token} onChange={setToken} onKeyDown={submitOnEnter} />
      <div className="flex flex-col-reverse gap-2 desk:flex-row desk:justify-end">
        <Button variant="secondary" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button
          type="submit"
          variant="danger"
          disabled={token.length !== CODE_LENGTH}
          isPending={disable.isPending}
          pendingLabel={t('Disabling...')}
        >
          {t('Disable OTP')}
        </Button>
      </div>
    </form>
  )
}
