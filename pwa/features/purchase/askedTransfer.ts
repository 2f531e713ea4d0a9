import { z } from 'zod'
import { create } from 'zustand'
import { instant } from '#shared/wire/instant.ts'
import { readStored, store } from '#pwa/lib/deviceStorage.ts'

const askedTransfer = z.object({
  orderId: z.string(),
  /** Of an earlier release it is unknown. */
  userId: z.string().optional(),
  at: instant,
})

/** The transfer that the wallet was last asked for and may still show. */
export type AskedTransfer = z.output<typeof askedTransfer>

const STORAGE_KEY = 'payment_asked'

/** Stored, because other tabs, and this page after a reload, offer the same order for payment. */
export const useAskedTransfer = create<{ asked: AskedTransfer | null }>()(() => ({ asked: readAsked() }))

/** When the wallet was asked to pay this order; null if it was not, or has refused. It may have sent the payment all the same. */
export const askedAtOf = (asked: AskedTransfer | null, orderId: string | null): Date | null =>
  asked && asked.orderId === orderId ? asked.at : null

export const useAskedAt = (orderId: string | null): Date | null => useAskedTransfer(({ asked }) => askedAtOf(asked, orderId))
export const readAskedAt = (orderId: string): Date | null => askedAtOf(useAskedTransfer.getState().asked, orderId)

globalThis.addEventListener?.('storage', ({ key }) => {
  if (key === STORAGE_KEY) useAskedTransfer.setState({ asked: readAsked() })
})

export function storeAsked(asked: AskedTransfer): void {
  useAskedTransfer.setState({ asked })
  store(STORAGE_KEY, JSON.stringify(z.encode(askedTransfer, asked)))
}

/** The wallet has answered. A later request stays. */
export function forgetAsked({ orderId, at }: AskedTransfer): void {
  const { asked } = useAskedTransfer.getState()
  if (asked?.orderId !== orderId || asked.at.getTime() !== at.getTime()) return
  useAskedTransfer.setState({ asked: null })
  store(STORAGE_KEY, null)
}

function readAsked(): AskedTransfer | null {
  try {
    return z.decode(askedTransfer, JSON.parse(readStored(STORAGE_KEY) ?? '') as z.input<typeof askedTransfer>)
  } catch {
    return null
  }
}
