import { useQuery } from '@tanstack/react-query'
import { formatAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { costOf } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import type { Condition } from './Checklist.tsx'
import { countNodes, describeShortage } from './describePayments.ts'
import { switchNetwork } from './payReservation.ts'
import { usePurchaseFlowStore } from './purchaseFlowStore.ts'
import { readPaymentWallet } from './readPaymentWallet.ts'

/** USDT may arrive from an exchange while the user looks at the checklist. */
const POLL_INTERVAL = 10 * SECOND

interface Wanted {
  /** The registered wallet, once it is connected. */
  owner: `0x${string}` | null
  unitPrice: bigint
  quantity: number
  onQuantity: (quantity: number) => void
}

/** Whether the wallet has enough for the chosen quantity, checked before a code is asked for. */
export function useBalanceCondition({ owner, unitPrice, quantity, onQuantity }: Wanted): Condition {
  const { data: config } = useQuery(configQuery)
  // The payment dialog reads the balance itself.
  const isIdle = usePurchaseFlowStore(({ flow }) => flow.at !== 'payment')
  const { data, refetch, isFetching } = useQuery({
    queryKey: ['wallet balance', owner],
    queryFn: async () => {
      const reading = await readPaymentWallet({ owner: owner!, amount: 0n, config: config! })
      return { at: reading.at, balance: reading.at === 'ready' ? reading.balance : null }
    },
    enabled: Boolean(owner && config && isIdle),
    refetchInterval: POLL_INTERVAL,
    staleTime: 0,
  })

  const name = t('USDT balance')
  if (!owner) return { name, isMet: undefined, detail: t("We'll check it once your wallet is connected.") }
  if (data?.at === 'otherNetwork')
    return {
      name,
      isMet: false,
      detail: t('Your wallet is on another network.'),
      fix: (
        <Button variant="secondary" onClick={() => void leaveOtherNetwork()}>
          {t('Switch to BNB Smart Chain')}
        </Button>
      ),
    }
  if (data?.at === 'unread') return { name, isMet: undefined, detail: t("Your wallet hasn't been checked yet.") }
  if (!data || data.balance === null) return { name, isMet: undefined }
  const { balance } = data
  const cost = costOf(unitPrice, quantity)
  if (balance >= cost)
    return { name, isMet: true, detail: t('{balance} USDT in your wallet.', { balance: formatAmount(balance) }) }
  const affordable = Number(balance / unitPrice)
  return {
    name,
    isMet: false,
    detail: (
      <>
        {describeShortage(balance, cost)} {t('Send USDT (BEP20) to this wallet, or choose fewer nodes.')}
      </>
    ),
    fix:
      affordable > 0 ? (
        <Button variant="secondary" onClick={() => onQuantity(affordable)}>
          {t('Choose {nodes}', { nodes: countNodes(affordable) })}
        </Button>
      ) : (
        <Button variant="secondary" isPending={isFetching} onClick={() => void refetch()}>
          {t('Check again')}
        </Button>
      ),
  }

  async function leaveOtherNetwork() {
    const reading = await readPaymentWallet({ owner: owner!, amount: 0n, config: config! })
    if (reading.at === 'otherNetwork') await switchNetwork(reading.provider, config!.paymentChain)
    await refetch()
  }
}
