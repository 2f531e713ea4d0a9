import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Badge } from '#pwa/ui/Badge.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { cancelPurchase } from '#shared/contract/admin/purchases.ts'
import { useMayCall } from '../useMayCall.ts'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { PersonLink } from '../person/PersonLink.tsx'
import { NodeNumbers } from './NodeNumbers.tsx'
import { formatDayIn, formatTimeIn, nameZone } from '../zone/officeZone.ts'
import { notesColumn, PendingActions, quantityColumn } from './purchaseColumns.tsx'
import { PurchaseStatuses } from './PurchaseStatuses.tsx'
import { PurchaseTransaction } from './PurchaseTransaction.tsx'

interface PurchaseTableProps {
  purchases: readonly Purchase[]
  isBusy: boolean
  zone: string
  onConfirm: (purchase: Purchase) => void
  onCancel: (purchase: Purchase) => void
}

/** One page of all purchases. */
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
    quantityColumn(),
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
    notesColumn(),
    {
      name: t('Actions'),
      isWide: true,
      className: 'md:w-px',
      cell: (purchase) =>
        purchase.paymentStatus === 'pending' &&
        mayCall(cancelPurchase) && (
          <PendingActions purchase={purchase} onConfirm={() => onConfirm(purchase)} onCancel={() => onCancel(purchase)} />
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
