import { t } from '#pwa/i18n/t.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { ProgressBar } from '#pwa/ui/ProgressBar.tsx'
import type { Verification } from './useVerification.ts'

/** What the verification does now, and when the last one was. */
export function VerificationState({ state, stored, start }: Verification) {
  const isOffline = useIsOffline()
  const at = stored && formatDateTime(new Date(stored.at))
  if (state.type === 'running')
    return (
      <div role="status">
        <ProgressBar value={state.share * 100} label={t('Checking the register')} />
        <p className="mt-2 text-14 text-ink-9">{t('This device is reading the register and checking it…')}</p>
      </div>
    )
  if (state.type === 'asking')
    return (
      <Notice
        title={t('Check the whole register?')}
        action={
          <Button onClick={start}>{t('Check about {megabytes} MB', { megabytes: Math.ceil(state.size / 1_000_000) })}</Button>
        }
      >
        {t('This device reads every entry and every day, and checks them all. Use Wi-Fi if your data is limited.')}
      </Notice>
    )
  if (state.type === 'unpublished' && !isOffline)
    return (
      <Notice
        title={t('Nothing has been published yet')}
        action={
          <Button variant="secondary" onClick={start}>
            {t('Check again')}
          </Button>
        }
      >
        {t(
          "The register starts soon after the first daily rewards are paid. If nodes have already earned rewards for two days or more, it should be here: ask the seller why it isn't.",
        )}
      </Notice>
    )
  if (state.type === 'unreadable' && !isOffline)
    return (
      <Notice
        tone="warning"
        title={t("The register couldn't be read")}
        action={
          <Button variant="secondary" onClick={start}>
            {t('Try again')}
          </Button>
        }
      >
        {at ? t('Below is what this device found on {time}.', { time: at }) : t('No check has failed.')}
      </Notice>
    )
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="text-14 text-ink-9">
        {at ? t('Checked by this device on {time}', { time: at }) : t('Not checked on this device yet')}
      </p>
      <Button variant="secondary" needsServer onClick={start}>
        {t('Check again')}
      </Button>
    </div>
  )
}
