import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { type Passkey, removePasskey } from '#shared/contract/passkeys.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { useCanUsePasskeys } from '#pwa/lib/passkeys.ts'
import { otpStatusQuery, passkeysQuery, sessionsQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { PasskeyList } from '#pwa/ui/PasskeyList.tsx'
import { AddPasskey } from './AddPasskey.tsx'

/** The account's passkeys. Absent where this browser cannot use any and the account has none. */
export function PasskeysCard() {
  const queryClient = useQueryClient()
  const canUse = useCanUsePasskeys()
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery)
  const { data: otp } = useQuery(otpStatusQuery)
  const [removed, setRemoved] = useState<Passkey | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const refetchAll = () =>
    Promise.all([passkeysQuery, sessionsQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })))
  const removal = useMutation({
    mutationFn: (id: string) => api(removePasskey, { params: { id } }),
    onSuccess: () => {
      toast({ title: t('Passkey Removed'), description: t('You are logged out everywhere else.') })
      return refetchAll()
    },
    onError: (failure) => {
      if (isUnauthorized(failure)) return
      void refetchAll()
      toast({
        title: failureTitle(failure, t('Passkey Not Removed')),
        description: errorText(failure, t('Please try again.'), isShownHere),
        destructive: true,
      })
    },
    onSettled: () => setRemoving(false),
  })
  if (!canUse && !passkeys?.length) return null

  return (
    <Card>
      <CardHeader title={t('Passkeys')} />
      <p className="mb-4 text-14 text-ink-10">
        {t(
          'Log in with your fingerprint, face or PIN instead of a password. A passkey only works on this site, so a fake page cannot get it. Purchases and withdrawals still need the code of your authenticator.',
        )}
      </p>
      {error && !passkeys && (
        <Notice
          tone="error"
          title={t("Couldn't load the list")}
          action={
            <Button variant="secondary" onClick={() => void refetch()}>
              {t('Try again')}
            </Button>
          }
        >
          {t('Nothing was changed. Your passkeys work as before.')}
        </Notice>
      )}
      {!passkeys && !error && <Skeleton className="h-14 rounded-input" />}
      {passkeys && (
        <PasskeyList
          passkeys={passkeys}
          onRemove={(passkey) => {
            setRemoved(passkey)
            setRemoving(true)
          }}
        />
      )}
      {canUse && passkeys && otp && (
        <AddPasskey hasOthers={passkeys.length > 0} isOtpEnabled={otp.otpEnabled} onAdded={refetchAll} />
      )}
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setRemoving}
        title={t('Remove the passkey {name}?', { name: removed?.name ?? '' })}
        description={t('It can no longer log in, and you are logged out everywhere else. Delete it on your device too.')}
        confirmLabel={t('Remove passkey')}
        pendingLabel={t('Removing...')}
        isPending={removal.isPending}
        onConfirm={() => removal.mutate(removed!.id)}
      />
    </Card>
  )
}
