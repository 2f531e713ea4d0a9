import { t } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

export const DemoNotice = () => (
  <Notice tone="warning" title={t('This is a demo')}>
    {t('Its clock can be moved, so its days and times prove nothing.')}
  </Notice>
)
