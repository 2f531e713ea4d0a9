import { KeyRound } from '#pwa/ui/icons.ts'
import type { Passkey } from '#shared/contract/passkeys.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'

interface PasskeyListProps {
  passkeys: readonly Passkey[]
  onRemove: (passkey: Passkey) => void
}

export const PasskeyList = ({ passkeys, onRemove }: PasskeyListProps) => (
  <ul className="divide-y divide-ink-5">
    {passkeys.map((passkey) => (
      <li key={passkey.id} className="flex items-start gap-3 py-3 first:pt-0 last:pb-0">
        <KeyRound size={18} className="mt-1 shrink-0 text-ink-9" />
        <div className="min-w-0 flex-1">
          <p translate="no" className="font-strong break-words">
            {passkey.name}
          </p>
          {passkey.isDisabled && (
            <>
              <StatusWord tone="refused">{t('Disabled')}</StatusWord>
              <p className="text-14">{t('A copy of it was used, so it is refused. Remove it.')}</p>
            </>
          )}
          <p className="figures text-14 text-ink-10">{t('Added {time}', { time: formatDateTime(passkey.createdAt) })}</p>
          <p className="figures text-14 text-ink-10">
            {passkey.lastUsedAt ? t('Last used {time}', { time: formatDateTime(passkey.lastUsedAt) }) : t('Not used yet')}
            {passkey.isSynced && ` · ${t('synced between your devices')}`}
          </p>
        </div>
        <Button
          variant="secondary"
          needsServer
          aria-label={t('Remove the passkey {name}', { name: passkey.name })}
          onClick={() => onRemove(passkey)}
        >
          {t('Remove')}
        </Button>
      </li>
    ))}
  </ul>
)
