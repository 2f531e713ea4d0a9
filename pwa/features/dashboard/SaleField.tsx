import { useSale } from '#pwa/lib/useSale.ts'
import { NodeField } from '#pwa/ui/NodeField.tsx'

/** The field of all nodes as it is sold at this moment. */
export function SaleField() {
  const { totalLimit, totalSold } = useSale()
  return <NodeField total={totalLimit} sold={totalSold} />
}
