import { useId } from 'react'
import { shorten } from '#shared/address.ts'
import { t } from '#pwa/i18n/t.ts'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { AddressForm } from './AddressForm.tsx'

/** The registered wallet as the only destination, with its network, or the form to register one. */
export function WithdrawalAddress({ address, network }: { address: `0x${string}` | null; network: string | undefined }) {
  const id = useId()
  if (!address) return <AddressForm />
  return (
    <div>
      <p id={id} className="mb-1.5 text-14 font-strong text-ink-11">
        {t('Withdrawal address')}
      </p>
      <div
        role="group"
        aria-labelledby={id}
        className="flex items-center gap-1 rounded-input border border-ink-5 bg-ink-2 py-2 pr-1 pl-4"
      >
        <span translate="no" className="exact min-w-0 flex-1">
          <span className="block">{shorten(address)}</span>
          <span className="block text-12 break-all text-balance text-ink-10">{address}</span>
        </span>
        <CopyButton value={address} what={t('withdrawal address')} />
      </div>
      {network && <p className="mt-1.5 text-14 text-ink-9">{t('XCR arrives on the {network} network.', { network })}</p>}
    </div>
  )
}
