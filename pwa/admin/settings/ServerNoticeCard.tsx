import { t } from '#pwa/i18n/t.ts'
import { Spinner } from '#pwa/ui/Spinner.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { Switch } from '#pwa/ui/Switch.tsx'
import { SettingCard } from './SettingCard.tsx'
import { useSetting } from './useSetting.ts'

/** The switch of the popup that warns visitors of high traffic. */
export function ServerNoticeCard() {
  const setting = useSetting('server_notice_enabled', (value) =>
    t(value === 'true' ? 'The server notice is shown.' : 'The server notice is no longer shown.'),
  )
  const { value, save } = setting
  const isOn = value === 'true'
  return (
    <SettingCard
      {...setting}
      title={t('Server notice popup')}
      state={value && <StatusWord tone={isOn ? 'waiting' : 'neutral'}>{t(isOn ? 'Shown' : 'Not shown')}</StatusWord>}
    >
      {() => (
        <>
          <p className="text-14 text-ink-10">
            {t('Warns everyone, once every 24 hours, that high traffic may make a purchase fail, and explains what to do.')}
          </p>
          <div className="mt-3 flex items-center gap-3">
            <Switch
              label={t('Show the notice')}
              checked={isOn}
              disabled={save.isPending}
              onChange={(next) => save.mutate({ value: next ? 'true' : 'false' })}
            />
            {save.isPending && <Spinner />}
          </div>
        </>
      )}
    </SettingCard>
  )
}
