import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'

/** Shown beside links to a block explorer, which cannot work with the embedded chains. */
export function DemoChainsHint() {
  const { data: config } = useQuery(configQuery)
  return config?.demo ? (
    <p className="text-14 text-ink-9">{t("This demo runs on local chains, so block explorers don't show these addresses.")}</p>
  ) : null
}
