import type { Purchase, Reservation } from '#shared/contract/purchases.ts'

/** What a payment passes through, in this order. */
export const paymentSteps = ['reserved', 'network', 'balance', 'sent', 'confirmed', 'allocated'] as const
export type PaymentStep = (typeof paymentSteps)[number]

/** What is paid. */
export interface Order {
  /** Of the reservation, and of the purchase that comes of it. */
  id: string
  quantity: number
  amount: bigint
  depositAddress: `0x${string}` | null
  /** Null once it is paid. */
  expiresAt: Date | null
  /** The wallet that has to pay; null for one that has paid already. */
  wallet: `0x${string}` | null
}

export interface Problem {
  step: PaymentStep
  text: string
}

type Times = Partial<Record<PaymentStep, Date>>

interface Payment {
  order: Order
  isOpen: boolean
  reachedAt: Times
}

/** Where a purchase stands in this browser. */
export type PurchaseFlow =
  | { at: 'idle' }
  | { at: 'otpSetup'; quantity: number }
  | { at: 'otpCheck'; quantity: number }
  | { at: 'reserving'; quantity: number }
  /** Nodes are held; the wallet has not sent yet. */
  | ({ at: 'payment'; running: PaymentStep | null; problem: Problem | null } & Payment)
  /** Sent: from here on the chain and the server know more than this page. */
  | ({ at: 'tracking'; hash: `0x${string}` | null } & Payment)

export type PurchaseEvent =
  | { type: 'wanted'; quantity: number; hasOtp: boolean }
  | { type: 'otpEnabled' }
  | { type: 'otpVerified' }
  | { type: 'otpDemanded' }
  /** The dialog of that stage was left. */
  | { type: 'otpAbandoned'; stage: 'otpSetup' | 'otpCheck' }
  | { type: 'refused' }
  | { type: 'reserved'; reservation: Reservation; at: Date | null }
  | { type: 'stepStarted'; step: PaymentStep }
  | { type: 'stepReached'; step: PaymentStep; at: Date }
  | { type: 'stepFailed'; problem: Problem }
  /** What the wallet was asked is answered, well. */
  | { type: 'stepStopped' }
  /** The wallet is in another state than when it was read last: what was wrong with it before says nothing now. */
  | { type: 'walletChanged' }
  | { type: 'sent'; hash: `0x${string}`; at: Date }
  /** The buyer has named the transaction that pays. */
  | { type: 'claimed'; hash: `0x${string}`; at: Date }
  | { type: 'trackingAsked'; purchase: Purchase }
  | { type: 'opened' }
  | { type: 'closed' }
  | { type: 'released' }

/** The purchase flow of the specification as a table of what follows what. An event that does not belong where the flow stands changes nothing. */
export function advance(flow: PurchaseFlow, event: PurchaseEvent): PurchaseFlow {
  switch (event.type) {
    case 'wanted':
      if (flow.at !== 'idle' && flow.at !== 'tracking') return flow
      return { at: event.hasOtp ? 'otpCheck' : 'otpSetup', quantity: event.quantity }
    case 'otpEnabled':
      return flow.at === 'otpSetup' ? { at: 'otpCheck', quantity: flow.quantity } : flow
    case 'otpVerified':
      return flow.at === 'otpCheck' ? { at: 'reserving', quantity: flow.quantity } : flow
    case 'otpDemanded':
      return flow.at === 'reserving' ? { at: 'otpCheck', quantity: flow.quantity } : flow
    case 'otpAbandoned':
      return flow.at === event.stage ? idle : flow
    case 'refused':
      return flow.at === 'payment' || flow.at === 'tracking' ? flow : idle
    case 'reserved':
      if (flow.at === 'payment') return { ...flow, isOpen: true }
      return {
        at: 'payment',
        order: orderOf(event.reservation),
        isOpen: true,
        reachedAt: event.at ? { reserved: event.at } : {},
        running: null,
        problem: null,
      }
    case 'stepStarted':
      return flow.at === 'payment' ? { ...flow, running: event.step, problem: null } : flow
    case 'stepReached':
      if ((flow.at !== 'payment' && flow.at !== 'tracking') || flow.reachedAt[event.step]) return flow
      return { ...flow, reachedAt: { ...flow.reachedAt, [event.step]: event.at } }
    case 'stepStopped':
      return flow.at === 'payment' ? { ...flow, running: null, problem: null } : flow
    case 'stepFailed':
      return flow.at === 'payment' ? { ...flow, running: null, problem: event.problem } : flow
    case 'walletChanged':
      return flow.at === 'payment' && flow.problem && flow.problem.step !== 'sent' ? { ...flow, problem: null } : flow
    case 'sent':
      if (flow.at !== 'payment') return flow
      return {
        at: 'tracking',
        order: flow.order,
        isOpen: flow.isOpen,
        reachedAt: { ...flow.reachedAt, sent: event.at },
        hash: event.hash,
      }
    case 'claimed':
      if (flow.at === 'tracking') return { ...flow, hash: event.hash }
      return advance(flow, { ...event, type: 'sent' })
    case 'trackingAsked':
      if (flow.at === 'payment') return flow
      if (flow.at === 'tracking' && flow.order.id === event.purchase.id) return { ...flow, isOpen: true }
      return {
        at: 'tracking',
        order: orderOfPurchase(event.purchase),
        isOpen: true,
        reachedAt: {},
        hash: event.purchase.transactionHash,
      }
    case 'opened':
      return flow.at === 'payment' || flow.at === 'tracking' ? { ...flow, isOpen: true } : flow
    case 'closed':
      // While the wallet is asked, or after it has sent, the payment goes on without its dialog.
      if ((flow.at === 'payment' && flow.running) || flow.at === 'tracking') return { ...flow, isOpen: false }
      return idle
    case 'released':
      return flow.at === 'payment' && !flow.running ? idle : flow
  }
}

export const idle: PurchaseFlow = { at: 'idle' }

const orderOf = (reservation: Reservation): Order => ({
  id: reservation.id,
  quantity: reservation.requestedQuantity,
  amount: reservation.purchaseAmountUsdt,
  depositAddress: reservation.depositAddress,
  expiresAt: reservation.expiresAt,
  wallet: reservation.walletAddress,
})

const orderOfPurchase = ({ id, requestedQuantity, purchaseAmountUsdt }: Purchase): Order => ({
  id,
  quantity: requestedQuantity,
  amount: purchaseAmountUsdt,
  depositAddress: null,
  expiresAt: null,
  wallet: null,
})
