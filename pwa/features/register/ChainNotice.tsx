import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import type { TickName } from '#pwa/register/Report.ts'
import type { StoredReport } from '#pwa/register/storedReport.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

/** Ticks for which a device needs a chain. */
const needsChain = new Set<TickName>(['anchors', 'E6', 'E7', 'deposits', 'payouts'])

/** How to look at the blockchains, for a person whose device could not. */
export function ChainNotice({ ticks }: Pick<StoredReport, 'ticks'>) {
  if (!ticks.some(([tick, { outcome }]) => outcome === 'unknown' && needsChain.has(tick))) return null
  return (
    <Notice title={t("This device couldn't read the blockchains")}>
      <T
        text="Connect a wallet on BNB Smart Chain and check again. This device then reads the blockchain through your wallet, not through the seller. This page can't connect to any other server, but <file>verify.mjs</file> can use one of your choice (--rpc)."
        file={(inside) => <code className="exact">{inside}</code>}
      />
    </Notice>
  )
}
