import { useQuery } from '@tanstack/react-query'
import { shorten } from '#shared/address.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { otpStatusQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import type { Sale } from '#pwa/lib/useSale.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { useOpenWallets } from '../wallet/useOpenWallets.ts'
import { useWalletActions } from '../wallet/useWalletActions.ts'
import type { Condition } from './Checklist.tsx'

interface Surroundings {
  sale: Sale
  hasStarted: boolean
  setUpOtp: () => void
}

/** Everything that can stand between a person and a purchase, so that nobody finds it out one toast at a time. */
export function usePurchaseConditions({ sale, hasStarted, setUpOtp }: Surroundings): Condition[] {
  const user = useAuthUser()
  const { data: otp } = useQuery({ ...otpStatusQuery, enabled: Boolean(user) })
  const { address, isRestoring, isProving } = useWallet()
  const actions = useWalletActions()
  const openWallets = useOpenWallets()

  const isRegistered = address !== null && user?.walletAddress === address
  const wallet: Condition = {
    name: 'Wallet',
    isMet: isRestoring || isProving ? undefined : isRegistered,
    detail: address ? shorten(address) : 'The one that pays, and that is yours.',
    fix: (
      <Button variant="secondary" onClick={openWallets} disabled={!sale.isEnabled}>
        Connect
      </Button>
    ),
  }
  if (address && !isRegistered) {
    wallet.detail = user?.walletAddress
      ? `Connected ${shorten(address)}, registered ${shorten(user.walletAddress)}.`
      : 'Connected, not registered yet.'
    wallet.fix = (
      <Button variant="secondary" onClick={() => void actions?.register()}>
        Register this wallet
      </Button>
    )
  }

  return [
    { name: 'Account', isMet: user ? true : undefined, detail: user?.email },
    wallet,
    {
      name: 'Authenticator',
      isMet: otp?.otpEnabled,
      detail: otp?.otpEnabled ? 'You are asked for a code.' : 'A code is needed for every purchase.',
      fix: (
        <Button variant="secondary" onClick={setUpOtp}>
          Set up
        </Button>
      ),
    },
    saleCondition(sale, hasStarted),
  ]
}

function saleCondition({ isEnabled, remaining, startsAt, isLoading }: Sale, hasStarted: boolean): Condition {
  if (isLoading) return { name: 'Sale', isMet: undefined }
  if (!isEnabled) return { name: 'Sale', isMet: false, detail: 'Sales are stopped at the moment.' }
  if (!hasStarted && startsAt) return { name: 'Sale', isMet: false, detail: `Starts ${formatDateTime(startsAt)}.` }
  if (remaining === 0) return { name: 'Sale', isMet: false, detail: 'Sold out.' }
  return { name: 'Sale', isMet: true, detail: 'Open. First come, first served.' }
}
