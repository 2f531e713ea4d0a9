import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { Switch } from '#pwa/ui/Switch.tsx'
import { ChangeDialog } from '../ChangeDialog.tsx'
import { SettingCard } from './SettingCard.tsx'
import { useSetting } from './useSetting.ts'

/** The sales switch. Asks for confirmation both ways, because every visitor sees the change at once. */
export function SalesControlCard() {
  const setting = useSetting('sales_enabled', (value) => t(value === 'true' ? 'Sales are on.' : 'Sales are off.'))
  /** The state whose change is asked about. */
  const [asked, setAsked] = useState<'on' | 'off'>()
  const { value, save } = setting
  const isOn = value === 'true'
  return (
    <SettingCard
      {...setting}
      title={t('Sales control')}
      state={value && <StatusWord tone={isOn ? 'done' : 'refused'}>{t(isOn ? 'On' : 'Off')}</StatusWord>}
    >
      {() => (
        <>
          <p className="text-14 text-ink-10">
            {t(
              isOn
                ? 'Visitors can connect a wallet, and nodes can be bought once sales have started.'
                : 'Nobody can connect a wallet or buy nodes. Payments already in progress are still confirmed.',
            )}
          </p>
          <div className="mt-3">
            <Switch
              label={t('Sales enabled')}
              checked={isOn}
              disabled={save.isPending}
              onChange={(next) => setAsked(next ? 'on' : 'off')}
            />
          </div>
          {asked && (
            <ChangeDialog
              title={t(asked === 'off' ? 'Stop the sale of nodes?' : 'Start the sale of nodes?')}
              before={t(isOn ? 'On' : 'Off')}
              after={t(asked === 'on' ? 'On' : 'Off')}
              consequence={t(
                asked === 'off'
                  ? 'Nobody will be able to connect a wallet or buy nodes. Payments already in progress are still confirmed.'
                  : 'Everyone will be able to connect a wallet, and nodes can be bought once sales have started.',
              )}
              confirmLabel={t(asked === 'off' ? 'Stop sales' : 'Start sales')}
              isHarmless={asked === 'on'}
              isPending={save.isPending}
              onClose={() => setAsked(undefined)}
              onConfirm={() =>
                save.mutate({ value: asked === 'on' ? 'true' : 'false' }, { onSettled: () => setAsked(undefined) })
              }
            />
          )}
        </>
      )}
    </SettingCard>
  )
}
