import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addAdminPasskey, beginAdminPasskey, removeAdminPasskey } from '#shared/contract/admin/passkeys.ts'
import type { Passkey } from '#shared/contract/passkeys.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { useCanUsePasskeys } from '#pwa/lib/passkeys.ts'
import { AddPasskeyDialog } from '#pwa/ui/AddPasskeyDialog.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { PasskeyList } from '#pwa/ui/PasskeyList.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { adminPasskeysQuery } from '../queries.ts'
import { ProvenDialog } from '../proof/ProvenDialog.tsx'
import { SettingError } from './SettingError.tsx'
import { useAdminProof } from '../proof/useAdminProof.tsx'

/** The administrator's own passkeys. Absent where this browser cannot use any and there are none. */
export function AdminPasskeysCard() {
  const canUse = useCanUsePasskeys()
  const { data, error, refetch } = useQuery(adminPasskeysQuery)
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey | null>(null)
  if (!canUse && !data?.passkeys.length) return null

  return (
    <Card>
      <CardHeader title={t('Admin passkeys')} />
      <p className="mb-4 text-14 text-ink-10">
        {t(
          'After the password, a passkey logs you in instead of a code. It only works on this site, so a fake page cannot get it. With two passkeys you can disable OTP.',
        )}
      </p>
      {error && !data && <SettingError error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton className="h-28" />}
      {data && <PasskeyList passkeys={data.passkeys} onRemove={setRemoved} />}
      {data?.passkeys.length === 1 && data.factors.length === 0 && (
        <div className="mt-4">
          <Notice tone="warning" title={t('Add a second passkey')}>
            {t('Until then the password alone logs in, because losing your only passkey would lock you out.')}
          </Notice>
        </div>
      )}
      {data && canUse && (
        <Button variant="secondary" className="mt-4 w-full desk:w-auto" needsServer onClick={() => setAdding(true)}>
          {t('Add a passkey')}
        </Button>
      )}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {removed && <RemoveDialog passkey={removed} onClose={() => setRemoved(null)} />}
    </Card>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const { fields, isGiven, read } = useAdminProof()
  return (
    <AddPasskeyDialog
      onClose={onClose}
      proof={fields}
      isProofGiven={isGiven}
      begin={async () => api(beginAdminPasskey, { body: await read() })}
      add={async (body) => {
        await api(addAdminPasskey, { body })
        await queryClient.invalidateQueries({ queryKey: adminPasskeysQuery.queryKey })
      }}
    />
  )
}

const RemoveDialog = ({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) => (
  <ProvenDialog
    title={t('Remove the passkey {name}?', { name })}
    description={t('It can no longer log in. Delete it on your device too.')}
    action={t('Remove passkey')}
    isDangerous
    run={(proof) => api(removeAdminPasskey, { params: { id }, body: proof })}
    success={{ title: t('Passkey Removed'), description: t('It can no longer log in.') }}
    changes={adminPasskeysQuery.queryKey}
    failure={t('Passkey Not Removed')}
    onClose={onClose}
  />
)
