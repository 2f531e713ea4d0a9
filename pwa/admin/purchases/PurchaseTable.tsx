import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Badge } from '#pwa/ui/Badge.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { cancelPurchase } from '#shared/contract/admin/purchases.ts'
import { useMayCall } from '../useMayCall.ts'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { RowButton } from '../lists/RowButton.tsx'
import { PersonLink } from '../person/PersonLink.tsx'
import { NodeNumbers } from './NodeNumbers.tsx'
import { NotesCell } from './NotesCell.tsx'
import { formatDayIn, formatTimeIn, nameZone } from '../zone/officeZone.ts'
import { PurchaseStatuses } from './PurchaseStatuses.tsx'
import { PurchaseTransaction } from './PurchaseTransaction.tsx'
import { namePurchase } from './purchaseWords.ts'

interface PurchaseTableProps {
  purchases: readonly Purchase[]
  isBusy: boolean
  zone: string
  onConfirm: (purchase: Purchase) => void
  onCancel: (purchase: Purchase) => void
}

export function PurchaseTable({ purchases, isBusy, zone, onConfirm, onCancel }: PurchaseTableProps) {
  const mayCall = useMayCall()
  const columns: Column<Purchase>[] = [
    {
      name: t('User'),
      isWide: true,
      className: 'max-md:font-strong md:min-w-42 md:max-w-52',
      cell: ({ user, id }) => (
        <>
          <PersonLink {...user} />
          <span className="text-12 font-normal text-ink-9">
            <ShortId id={id} />
          </span>
        </>
      ),
    },
    {
      name: t('Quantity'),
      isRight: true,
      className: 'figures',
      cell: ({ finalQuantity, requestedQuantity }) => formatCount(finalQuantity ?? requestedQuantity),
    },
    {
      name: t('Amount'),
      isRight: true,
      className: 'figures md:min-w-26',
      cell: ({ purchaseAmountUsdt }) =>
        purchaseAmountUsdt === 0n ? (
          <Badge tone="accent">{t('BONUS')}</Badge>
        ) : (
          <Amount value={purchaseAmountUsdt} unit="USDT" size={14} />
        ),
    },
    {
      name: t('Node numbers'),
      className: 'md:min-w-32 md:max-w-40',
      cell: ({ nodeNumbers }) => <NodeNumbers numbers={nodeNumbers} />,
    },
    {
      name: t('Tx hash'),
      className: 'md:w-px',
      cell: (purchase) => <PurchaseTransaction purchase={purchase} />,
    },
    { name: t('Status'), className: 'md:w-px', cell: (purchase) => <PurchaseStatuses purchase={purchase} /> },
    {
      name: t('Date ({zone})', { zone: nameZone(zone) }),
      className: 'figures text-ink-10 md:w-px',
      cell: ({ createdAt }) => <DateOverTime date={createdAt} zone={zone} />,
    },
    { name: t('Admin notes'), className: 'md:min-w-28 md:max-w-40', cell: ({ adminNotes }) => <NotesCell notes={adminNotes} /> },
    {
      name: t('Actions'),
      isWide: true,
      className: 'md:w-px',
      cell: (purchase) =>
        purchase.paymentStatus === 'pending' &&
        mayCall(cancelPurchase) && (
          <span className="flex gap-1.5 md:flex-col">
            <RowButton
              label={t('Manual confirm: {purchase}', { purchase: namePurchase(purchase) })}
              onClick={() => onConfirm(purchase)}
            >
              {t('Manual confirm')}
            </RowButton>
            <RowButton label={t('Cancel: {purchase}', { purchase: namePurchase(purchase) })} onClick={() => onCancel(purchase)}>
              {t('Cancel')}
            </RowButton>
          </span>
        ),
    },
  ]
  return <DataTable label={t('Purchases')} columns={columns} rows={purchases} keyOf={({ id }) => id} isBusy={isBusy} />
}

/** On two lines on desktop, where the column is narrow. */
function DateOverTime({ date, zone }: { date: Date; zone: string }) {
  const day = formatDayIn(date, zone)
  // English puts a comma between date and time, Korean does not.
  const [, comma, time] = /^(,?) (.*)$/.exec(`${formatTimeIn(date, zone)} ${nameZone(zone)}`.slice(day.length))!
  return (
    <time dateTime={date.toISOString()}>
      <span className="whitespace-nowrap">
        {day}
        {comma}
      </span>{' '}
      <span className="whitespace-nowrap">{time}</span>
    </time>
  )
}
