import { Suspense, useEffect } from 'react'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { closeWithdrawal, useWithdrawalStore } from './withdrawalStore.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

const WithdrawalDialog = lazyPart(async () => (await import('./WithdrawalDialog.tsx')).WithdrawalDialog)

/** Renders the withdrawal dialog over every page. */
export function WithdrawalHost() {
  const user = useAuthUser()
  const isOpen = useWithdrawalStore((store) => store.isOpen)
  useEffect(() => {
    // It belongs to the user who logged out.
    if (user === null) closeWithdrawal()
  }, [user])
  if (!isOpen || !user) return null
  return (
    <Suspense fallback={null}>
      <WithdrawalDialog user={user} />
    </Suspense>
  )
}
