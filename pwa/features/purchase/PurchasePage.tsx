import { lazy, Suspense, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { LoginRequired } from '#pwa/ui/LoginRequired.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { PurchaseOffer } from './PurchaseOffer.tsx'

// Only somebody who is logged in pays.
const Checkout = lazy(async () => ({ default: (await import('./Checkout.tsx')).Checkout }))

export function PurchasePage() {
  const user = useAuthUser()
  // Stays as it was chosen when somebody logs in.
  const [typed, setTyped] = useState('1')
  const choice = { typed, onType: setTyped }

  if (user === null)
    return (
      <PurchaseOffer {...choice}>
        <LoginRequired>{t('Log in to purchase nodes. The quantity stays as you chose it.')}</LoginRequired>
      </PurchaseOffer>
    )
  const placeholder = (
    <PurchaseOffer {...choice}>
      <Skeleton className="h-40 rounded-card" />
    </PurchaseOffer>
  )
  return (
    <Suspense fallback={placeholder}>
      <Checkout {...choice} user={user} />
    </Suspense>
  )
}
