import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { readSeen } from '#pwa/register/deviceMemory.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

/** The site says that it publishes no register. A device that has seen one says so. */
export function RegisterOff() {
  const seen = readSeen()
  if (!seen) return <Notice>{t('This site does not publish a register.')}</Notice>
  return (
    <Notice tone="warning" title={t('This site no longer publishes its register')}>
      {t('This device saw it with {count} entries. Ask the seller why it stopped.', { count: formatCount(seen.size) })}
    </Notice>
  )
}
