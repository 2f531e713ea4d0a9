import { Suspense, useEffect } from 'react'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { recallSent, showCheckHistory } from './checkHistory.ts'
import { closeWithdrawal, currentFlow, useWithdrawalStore } from './withdrawalStore.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

const WithdrawalDialog = lazyPart(async () => (await import('./WithdrawalDialog.tsx')).WithdrawalDialog)

/** Renders the withdrawal dialog over every page. */
export function WithdrawalHost() {
  const user = useAuthUser()
  const isOpen = useWithdrawalStore((store) => store.isOpen)
  useEffect(recallSent, [])
  useEffect(() => {
    if (user !== null) return
    if (currentFlow().at === 'unanswered') showCheckHistory()
    // It belongs to the user who logged out.
    closeWithdrawal()
  }, [user])
  if (!isOpen || !user) return null
  return (
    <Suspense fallback={null}>
      <WithdrawalDialog user={user} />
    </Suspense>
  )
}
