import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { shorten } from '#shared/address.ts'
import { advanceDemoClock, fundDemoWallet } from '#shared/contract/demo.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { DemoWallet } from './DemoWallet.tsx'
import { useDemoWallet } from './demoWallet.ts'

/** On one line on all but the narrowest phones. */
const buttonShape = 'px-3! min-[370px]:whitespace-nowrap'

/** For installations with embedded chains: a wallet, free test money, and a button that skips a day. */
export function DemoBar() {
  const queryClient = useQueryClient()
  const user = useAuthUser()
  const { data: config } = useQuery(configQuery)
  const connected = useWallet((state) => state.address)
  const demo = useDemoWallet((state) => state.address)
  const address = connected ?? user?.walletAddress ?? demo

  const fund = useMutation({
    mutationFn: (to: `0x${string}`) => api(fundDemoWallet, { body: { address: to } }),
    onSuccess: () => toast({ title: 'Test money added', description: `USDT, BNB and XP are in ${shorten(address ?? '')}.` }),
    onError: (error) =>
      toast({ title: 'No test money', description: errorText(error, 'The embedded chain did not answer.'), destructive: true }),
  })
  const advance = useMutation({
    mutationFn: () => api(advanceDemoClock, { body: { advanceHours: 24 } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      toast({ title: 'It is tomorrow', description: 'The clock of this installation moved on by 24 hours.' })
    },
    onError: (error) =>
      toast({ title: 'The clock stands still', description: errorText(error, 'Please try again.'), destructive: true }),
  })

  return (
    <aside aria-label="Demo" className="border-b border-ink-5 bg-ink-2 pt-[env(safe-area-inset-top)]">
      <div className="page flex flex-wrap items-center gap-2 py-1.5">
        <p className="mr-auto text-14 text-ink-10">
          <strong className="font-strong text-ink-12">Demo</strong>
          <span className="hidden desk:inline"> · local chains, no real money</span>
        </p>
        <Button
          variant="secondary"
          className={buttonShape}
          onClick={() => address && fund.mutate(address)}
          disabled={!address}
          isPending={fund.isPending}
          pendingLabel="Sending..."
        >
          Get test money
        </Button>
        <Button
          variant="secondary"
          className={buttonShape}
          onClick={() => advance.mutate()}
          isPending={advance.isPending}
          pendingLabel="Moving..."
        >
          Move to tomorrow
        </Button>
      </div>
      {config && <DemoWallet config={config} />}
    </aside>
  )
}
