import { Suspense, useEffect } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { useSaleStart } from '#pwa/lib/useSaleStart.ts'
import { LoginRequired } from '#pwa/ui/LoginRequired.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { chooseQuantity, restoreQuantity, useChosenQuantity } from './chosenQuantity.ts'
import { PurchaseOffer } from './PurchaseOffer.tsx'

// Only logged-in users pay.
const Checkout = lazyPart(async () => (await import('./Checkout.tsx')).Checkout)

export function PurchasePage() {
  const user = useAuthUser()
  const sale = useSale()
  const { hasStarted } = useSaleStart(sale)
  const isOpen = sale.isLoading || (sale.isEnabled && hasStarted && sale.remaining > 0)
  const typed = useChosenQuantity((chosen) => chosen.typed) ?? '1'
  const choice = { typed, onType: (text: string) => chooseQuantity(text, { isVisitor: !user }) }
  useEffect(restoreQuantity, [])

  if (user === null)
    return (
      <PurchaseOffer {...choice}>
        <LoginRequired>
          {t(
            isOpen
              ? "Log in to buy. We'll keep your quantity."
              : "Log in now to be ready when sales open. We'll keep your quantity.",
          )}
        </LoginRequired>
      </PurchaseOffer>
    )
  // No quantity field yet: it would be replaced a moment later.
  const placeholder = (
    <Page title={t('Node Purchase')} isNarrow>
      <div className="flex flex-col gap-8">
        <Skeleton className="h-48 rounded-card" />
        <Skeleton className="h-40 rounded-card" />
        <Skeleton className="h-40 rounded-card" />
      </div>
    </Page>
  )
  return (
    <Suspense fallback={placeholder}>
      <Checkout {...choice} user={user} />
    </Suspense>
  )
}
