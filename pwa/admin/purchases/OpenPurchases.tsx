import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { presentStatus } from '#pwa/lib/presentStatus.ts'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { countNodes } from '../countNodes.ts'
import { formatUsdt } from './purchaseWords.ts'

interface OpenPurchasesProps {
  /** Undefined while no e-mail address is entered. */
  account: string | undefined
  purchases: readonly Purchase[]
  error: Error | null
  isLoading: boolean
  chosen: string | null
  onChoose: (id: string) => void
  problem: string | undefined
}

/** Selects which of an account's purchases a payment is for. */
export function OpenPurchases({ account, purchases, error, isLoading, chosen, onChoose, problem }: OpenPurchasesProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-14 font-strong text-ink-11">{t('Waiting purchase')}</legend>
      {isLoading && <Skeleton className="h-12" />}
      {error && (
        <p role="alert" className="text-14 text-red">
          {errorText(error, t('Failed to fetch purchases'))}
        </p>
      )}
      {!isLoading && !error && purchases.length === 0 && (
        <p className="text-14 text-ink-10">
          {t(account ? 'This account has no waiting purchase.' : 'Enter the email of the account first.')}
        </p>
      )}
      <div className="flex flex-col divide-y divide-ink-5 rounded-input border border-ink-5 empty:hidden">
        {purchases.map((purchase) => (
          <label key={purchase.id} className="flex min-h-12 cursor-pointer items-center gap-3 px-3.5 py-2 text-14 hover:bg-ink-2">
            <input
              type="radio"
              name="purchase"
              checked={chosen === purchase.id}
              onChange={() => onChoose(purchase.id)}
              className="size-5 shrink-0 accent-accent"
            />
            <span className="figures min-w-0">
              {t('{nodes} for {amount}', {
                nodes: countNodes(purchase.requestedQuantity),
                amount: formatUsdt(purchase.purchaseAmountUsdt),
              })}
              <span className="block text-12 text-ink-9">
                {presentStatus(purchase.paymentStatus).word}, {formatTime(purchase.createdAt)}
              </span>
            </span>
          </label>
        ))}
      </div>
      {problem && (
        <p role="alert" className="mt-1.5 text-14 text-red">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
