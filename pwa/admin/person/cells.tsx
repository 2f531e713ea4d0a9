import { shorten } from '#shared/address.ts'
import { t } from '#pwa/i18n/t.ts'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { formatTime } from '../zone/officeZone.ts'

/** A time with its zone; a dash if there is none. */
export const Time = ({ at }: { at: Date | null }) =>
  at ? (
    <time dateTime={at.toISOString()} className="figures text-ink-10 md:whitespace-nowrap">
      {formatTime(at)}
    </time>
  ) : (
    <Nothing />
  )

export const Nothing = () => <span className="text-ink-9">–</span>

/** A shortened wallet address with all of it to copy. */
export const Wallet = ({ address }: { address: string }) => (
  <span className="inline-flex items-center whitespace-nowrap">
    <span translate="no" title={address} className="font-mono text-12 text-ink-10">
      {shorten(address)}
    </span>
    <span className="md:-my-3">
      <CopyButton value={address} what={t('wallet address')} />
    </span>
  </span>
)
