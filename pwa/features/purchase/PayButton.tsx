import { useEffect, useRef, useState } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { formatAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { prepareWallet, showBalanceProblem } from './payReservation.ts'
import type { Order } from './purchaseFlow.ts'
import type { WalletReading } from './readPaymentWallet.ts'
import type { usePaymentWallet } from './usePaymentWallet.ts'
import type { usePurchaseFlow } from './usePurchaseFlow.ts'

interface PayButtonProps {
  controls: ReturnType<typeof usePurchaseFlow>
  order: Order
  wallet: ReturnType<typeof usePaymentWallet>
  config: PublicConfig | undefined
  isBusy: boolean
}

/** If the last reading of the wallet is older than this, it is read again: the page may have been suspended. */
const MAX_READING_AGE = 5 * SECOND

const labels: Record<Exclude<WalletReading['at'], 'ready'>, Message> = {
  missing: msg('Connect your wallet'),
  locked: msg('Unlock the wallet'),
  otherAccount: msg('Choose the account'),
  otherNetwork: msg('Switch to BNB Smart Chain'),
  unread: msg('Check the balance again'),
  short: msg('Check the balance again'),
}

/** One tap per request to the wallet; the last one pays. */
export function PayButton({ controls, order, wallet, config, isBusy }: PayButtonProps) {
  const { reading, read } = wallet
  const { flow } = controls
  const [isReading, setReading] = useState(false)
  // A ref, because two taps may come before the next render.
  const isRereading = useRef(false)
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  const wasSwitchRefused = flow.at === 'payment' && flow.problem?.step === 'network'

  async function press() {
    if (!reading || !config) return
    if (reading.at === 'ready') {
      if (isRereading.current) return
      if (Date.now() - reading.readAt < MAX_READING_AGE) return controls.pay(order, reading.provider)
      isRereading.current = true
      setReading(true)
      const now = await read().finally(() => {
        isRereading.current = false
        setReading(false)
      })
      // Meanwhile the dialog may have been closed, or the reservation may have ended.
      if (now?.at === 'ready' && isShown.current) controls.pay(order, now.provider)
    } else if (reading.at === 'short' || reading.at === 'unread') {
      const now = await read()
      if (now?.at === 'short' || now?.at === 'unread') showBalanceProblem(order, now.at)
    } else {
      await prepareWallet(order, reading, config)
      await read()
    }
  }

  if (!reading) {
    return (
      <Button translate="no" isPending pendingLabel={t('Checking your wallet')}>
        {t('Pay')}
      </Button>
    )
  }
  return (
    <>
      {reading.at === 'otherNetwork' && wasSwitchRefused && !isBusy && (
        <Button variant="quiet" onClick={() => void read()}>
          {t('I switched, continue')}
        </Button>
      )}
      <Button
        translate="no"
        needsServer
        onClick={() => void press()}
        isPending={isBusy || isReading}
        pendingLabel={isBusy ? t('Waiting for your wallet') : t('Checking your wallet')}
      >
        {reading.at === 'ready' ? t('Pay {amount} USDT', { amount: formatAmount(order.amount) }) : translate(labels[reading.at])}
      </Button>
    </>
  )
}
