import { t } from '#pwa/i18n/t.ts'
import type { Sale } from '#pwa/lib/useSale.ts'

interface SaleState {
  title: string
  text: string
  canBuy: boolean
}

/** The state of a sale that has started. */
export function describeSale({ isEnabled, remaining }: Pick<Sale, 'isEnabled' | 'remaining'>): SaleState {
  if (remaining === 0) return { title: t('Sold out'), text: t('All nodes are sold.'), canBuy: false }
  if (!isEnabled)
    return {
      title: t('Sales are paused'),
      text: t("You can't buy nodes right now. Nodes you already own keep earning."),
      canBuy: false,
    }
  return { title: t('Sales Started!'), text: t('Node sales are available.'), canBuy: true }
}
