import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'

/** Beside links into a block explorer, which lead nowhere while both chains run on this machine. */
export function DemoChainsHint() {
  const { data: config } = useQuery(configQuery)
  return config?.demo ? (
    <p className="text-14 text-ink-9">{t('This is a demo on local chains: block explorers do not know them.')}</p>
  ) : null
}
