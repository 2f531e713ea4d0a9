import { WifiOff } from '#pwa/ui/icons.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { useIsBusy } from '#pwa/lib/busy.ts'
import { useConnection } from '#pwa/lib/connection.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { useUpdate } from './serviceWorkerUpdates.ts'

/** Offers to load a waiting version; the user chooses when. */
export function UpdateNotice() {
  const { apply, dismiss } = useUpdate()
  const isBusy = useIsBusy()
  if (!apply || isBusy) return null
  return (
    <aside
      aria-label={t('Update')}
      className="fixed inset-x-4 bottom-[max(16px,env(safe-area-inset-bottom))] z-20 flex animate-rise items-center gap-3 rounded-card border border-ink-5 bg-surface py-2 pr-2 pl-4 shadow-float desk:right-auto desk:max-w-[420px]"
    >
      <p className="flex-1 text-14 text-ink-11">{t('A new version is ready.')}</p>
      <Button variant="quiet" onClick={dismiss}>
        {t('Later')}
      </Button>
      <Button variant="secondary" onClick={() => void apply()}>
        {t('Reload')}
      </Button>
    </aside>
  )
}

/** The offline notice, with the time of the data on the page. */
export function OfflineNotice() {
  const { isOffline, takenAt } = useConnection()
  return (
    // Always rendered, because screen readers announce only changes of regions they know.
    <div role="status" className="sticky top-[calc(65px+env(safe-area-inset-top))] z-10">
      {isOffline && (
        <div className="border-b border-amber-line bg-amber-soft">
          <p className="page flex items-start gap-2.5 py-2 text-14 text-ink-11">
            <WifiOff size={16} aria-hidden className="mt-0.5 shrink-0 text-amber" />
            <span>
              <strong className="font-strong text-amber">{t('No connection.')}</strong>{' '}
              {takenAt ? (
                <span className="figures">
                  <T
                    text="Figures as of {time}."
                    time={<time dateTime={takenAt.toISOString()}>{formatDateTime(takenAt)}</time>}
                  />{' '}
                </span>
              ) : (
                <span>{t('Figures on this page may be wrong.')} </span>
              )}
              <span>{t('Payments already sent are safe.')}</span>
            </span>
          </p>
        </div>
      )}
    </div>
  )
}
