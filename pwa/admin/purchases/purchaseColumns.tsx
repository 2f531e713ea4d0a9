import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import type { Column } from '../lists/DataTable.tsx'
import { RowButton } from '../lists/RowButton.tsx'
import { NotesCell } from './NotesCell.tsx'
import { namePurchase } from './purchaseWords.ts'

// Parts of both tables of purchases: of all, and of one account.

export const quantityColumn = (): Column<Purchase> => ({
  name: t('Quantity'),
  isRight: true,
  className: 'figures',
  cell: ({ finalQuantity, requestedQuantity }) => formatCount(finalQuantity ?? requestedQuantity),
})

export const notesColumn = (): Column<Purchase> => ({
  name: t('Admin notes'),
  className: 'md:min-w-28 md:max-w-40',
  cell: ({ adminNotes }) => <NotesCell notes={adminNotes} />,
})

interface PendingActionsProps {
  purchase: Purchase
  onConfirm: () => void
  onCancel: () => void
}

/** The buttons of a pending purchase. */
export const PendingActions = ({ purchase, onConfirm, onCancel }: PendingActionsProps) => (
  <span className="flex flex-wrap gap-1.5 md:flex-col">
    <RowButton label={t('Manual confirm: {purchase}', { purchase: namePurchase(purchase) })} onClick={onConfirm}>
      {t('Manual confirm')}
    </RowButton>
    <RowButton label={t('Cancel: {purchase}', { purchase: namePurchase(purchase) })} onClick={onCancel}>
      {t('Cancel')}
    </RowButton>
  </span>
)
