import { useId } from 'react'
import { shorten } from '#shared/address.ts'
import { t } from '#pwa/i18n/t.ts'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { inputClass } from '#pwa/ui/Field.tsx'
import { AddressForm } from './AddressForm.tsx'

/** Where it goes: to the registered wallet alone, or the way to register one. */
export function WithdrawalAddress({ address }: { address: `0x${string}` | null }) {
  const id = useId()
  if (!address) return <AddressForm />
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-14 font-strong text-ink-11">
        {t('Withdrawal address')}
      </label>
      <input
        id={id}
        readOnly
        value={shorten(address)}
        aria-describedby={`${id}-full`}
        className={`${inputClass} exact border-ink-5! bg-ink-2! hover:border-ink-6!`}
      />
      <div className="mt-1 -mr-2 flex items-center">
        <span id={`${id}-full`} translate="no" className="exact min-w-0 flex-1 text-12 text-ink-10">
          {address}
        </span>
        <CopyButton value={address} what={t('withdrawal address')} />
      </div>
    </div>
  )
}
