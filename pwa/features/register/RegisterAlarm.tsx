import { t, translate } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { saveText } from '#pwa/lib/saveText.ts'
import { dismissAlarm, readSeen } from '#pwa/register/deviceMemory.ts'
import { useRegisterNews } from '#pwa/register/news.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CircleAlert } from '#pwa/ui/icons.ts'
import { tickTexts } from './tickTexts.ts'

/** The red bar after a failed verification. It stays until it is dismissed, whatever later verifications find. */
export function RegisterAlarm() {
  const alarm = useRegisterNews((news) => news.alarm)
  if (!alarm) return null
  const { at, failures } = alarm
  const saveEvidence = () =>
    saveText(`register-evidence-${at.slice(0, 10)}.json`, JSON.stringify({ ...alarm, seen: readSeen() }, null, 2))
  return (
    <div role="alert" className="border-b border-red-line bg-red-soft">
      <div className="page flex flex-wrap items-start gap-x-4 gap-y-3 py-3">
        <CircleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-red" />
        <div className="min-w-0 flex-1 basis-60 text-14">
          <p className="font-strong text-red">{t('The public register does not add up')}</p>
          <p className="text-ink-11">{t('A check by this device failed on {time}:', { time: formatDateTime(new Date(at)) })}</p>
          <ul className="mt-1 list-disc pl-5 text-ink-11">
            {failures.map(({ tick }) => (
              <li key={tick}>{t('“{statement}” is not true', { statement: translate(tickTexts[tick].title) })}</li>
            ))}
          </ul>
          <p className="mt-1 text-ink-11">
            {t('Save the evidence, ask the seller, and show the file to other holders. It shows what this site has told you.')}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button variant="danger" onClick={saveEvidence}>
            {t('Save the evidence')}
          </Button>
          <Button variant="quiet" onClick={dismissAlarm}>
            {t('Dismiss')}
          </Button>
        </div>
      </div>
    </div>
  )
}
