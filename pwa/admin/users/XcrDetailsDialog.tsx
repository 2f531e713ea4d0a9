import type { getXcrDetails } from '#shared/contract/admin/users.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'

interface XcrDetailsDialogProps {
  shown: { email: string; details: Output<typeof getXcrDetails> } | null
  onClose: () => void
}

/** A user's balance and earnings, and the wallets they have withdrawn to. */
export function XcrDetailsDialog({ shown, onClose }: XcrDetailsDialogProps) {
  if (!shown) return null
  const { email, details } = shown
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('XCR details')}
      description={<span className="wrap-anywhere">{email}</span>}
      isWide
      actions={
        <Button variant="secondary" onClick={onClose}>
          {t('Close')}
        </Button>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 divide-y divide-ink-5 border-y border-ink-5 text-14 *:col-span-2 *:grid *:grid-cols-subgrid *:items-center *:py-2.5">
        <div>
          <dt className="text-ink-10">{t('Node count')}</dt>
          <dd className="figures text-right font-strong">{formatCount(details.totalNodes)}</dd>
        </div>
        <div>
          <dt className="text-ink-10">{t('Available XCR')}</dt>
          <dd className="text-right font-strong">
            <Amount value={details.availableXcr} unit="XCR" size={14} minDecimals={2} />
          </dd>
        </div>
        <div>
          <dt className="text-ink-10">{t('Total earned XCR')}</dt>
          <dd className="text-right font-strong">
            <Amount value={details.totalEarnedXcr} unit="XCR" size={14} minDecimals={2} />
          </dd>
        </div>
        <div>
          <dt className="text-ink-10">{t('Completed withdrawals')}</dt>
          <dd className="text-right">
            <span className="font-strong">
              <Amount value={details.completed.totalAmount} unit="XCR" size={14} minDecimals={2} />
            </span>
            <span className="figures block text-ink-9">
              {plural(details.completed.count, 'in {count} withdrawal', 'in {count} withdrawals')}
            </span>
          </dd>
        </div>
      </dl>
      <h3 className="mt-5 mb-1 text-14 font-strong">{t('Withdrawal addresses')}</h3>
      {details.addresses.length === 0 ? (
        <p className="text-14 text-ink-10">{t('No completed withdrawals.')}</p>
      ) : (
        <ul className="text-14">
          {details.addresses.map((address) => (
            <li key={address} className="flex items-center justify-between gap-2">
              <span translate="no" className="exact min-w-0 font-mono text-ink-11">
                {address}
              </span>
              <CopyButton value={address} what={t('address')} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
