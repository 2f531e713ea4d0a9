import { useQuery } from '@tanstack/react-query'
import { shorten } from '#shared/address.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { otpStatusQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import type { Sale } from '#pwa/lib/useSale.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { useOpenWallets } from '../wallet/useOpenWallets.ts'
import { useWalletActions } from '../wallet/useWalletActions.ts'
import type { Condition } from './Checklist.tsx'
import { useBalanceCondition } from './useBalanceCondition.tsx'

interface ConditionsInput {
  sale: Sale
  hasStarted: boolean
  /** An open reservation can be paid while sales are stopped or put off, or all other nodes are sold. */
  isHeld: boolean
  quantity: number
  onQuantity: (quantity: number) => void
  setUpOtp: () => void
}

/** All conditions of a purchase at once, so that the user does not discover them one toast at a time. */
export function usePurchaseConditions({
  sale,
  hasStarted,
  isHeld,
  quantity,
  onQuantity,
  setUpOtp,
}: ConditionsInput): Condition[] {
  const user = useAuthUser()
  const { data: otp } = useQuery({ ...otpStatusQuery, enabled: Boolean(user) })
  const { address, isRestoring, isProving } = useWallet()
  const actions = useWalletActions()
  const openWallets = useOpenWallets()

  const isRegistered = address !== null && user?.walletAddress === address
  const balance = useBalanceCondition({ owner: isRegistered ? address : null, unitPrice: sale.nodePrice, quantity, onQuantity })
  const wallet: Condition = {
    name: t('Wallet'),
    isMet: isRestoring || isProving ? undefined : isRegistered,
    detail: address ? shorten(address) : t("You'll pay from this wallet."),
    fix: (
      <Button variant="secondary" onClick={openWallets} disabled={!sale.isEnabled}>
        {t('Connect')}
      </Button>
    ),
  }
  if (address && !isRegistered) {
    wallet.detail = user?.walletAddress
      ? t('Connected {address}, registered {registered}.', {
          address: shorten(address),
          registered: shorten(user.walletAddress),
        })
      : t('Connected, not registered yet.')
    wallet.fix = (
      <Button variant="secondary" translate="no" onClick={() => void actions?.register()}>
        {t('Register this wallet')}
      </Button>
    )
  }

  return [
    { name: t('Account'), isMet: user ? true : undefined, detail: user?.email },
    wallet,
    balance,
    {
      name: t('Authenticator'),
      isMet: otp?.otpEnabled,
      detail: t(otp?.otpEnabled ? "We'll ask for a code when you pay." : 'Every purchase requires a code.'),
      fix: (
        <Button variant="secondary" onClick={setUpOtp}>
          {t('Set up')}
        </Button>
      ),
    },
    saleCondition(sale, { hasStarted, isHeld }),
  ]
}

function saleCondition(
  { isEnabled, remaining, startsAt, isLoading }: Sale,
  { hasStarted, isHeld }: Pick<ConditionsInput, 'hasStarted' | 'isHeld'>,
): Condition {
  const name = t('Sale')
  if (isLoading) return { name, isMet: undefined }
  if (isHeld && (!isEnabled || !hasStarted || remaining === 0))
    return { name, isMet: true, detail: t('Open for the nodes reserved for you.') }
  if (!isEnabled) return { name, isMet: false, detail: t('Sales are stopped at the moment.') }
  if (!hasStarted && startsAt) {
    const detail = (
      <>
        {t('Starts {time}.', { time: formatDateTime(startsAt) })}
        <LocalTime date={startsAt} hasDay />
      </>
    )
    return { name, isMet: false, detail }
  }
  if (remaining === 0) return { name, isMet: false, detail: t('Sold out.') }
  return { name, isMet: true, detail: t('Open. First come, first served.') }
}
