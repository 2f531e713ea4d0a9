import type { Purchase, Reservation } from '#shared/contract/purchases.ts'

/** The steps of a payment, in order. */
export const paymentSteps = ['reserved', 'network', 'balance', 'sent', 'confirmed', 'allocated'] as const
export type PaymentStep = (typeof paymentSteps)[number]

/** The purchase to pay. */
export interface Order {
  /** Id of the reservation, and of the purchase that follows from it. */
  id: string
  quantity: number
  amount: bigint
  depositAddress: `0x${string}` | null
  /** Null once it is paid. */
  expiresAt: Date | null
  /** The wallet that must pay; null if it has already paid. */
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

/** The state of a purchase in this browser. */
export type PurchaseFlow =
  | { at: 'idle' }
  | { at: 'otpSetup'; quantity: number }
  | { at: 'otpCheck'; quantity: number }
  | { at: 'reserving'; quantity: number }
  /** Nodes are reserved; the wallet has not sent the transfer yet. */
  | ({ at: 'payment'; running: PaymentStep | null; problem: Problem | null } & Payment)
  /** Sent: from now on the chain and the server are the source of truth. */
  | ({ at: 'tracking'; hash: `0x${string}` | null } & Payment)

export type PurchaseEvent =
  | { type: 'requested'; quantity: number; hasOtp: boolean }
  | { type: 'otpEnabled' }
  | { type: 'otpVerified' }
  | { type: 'otpRequired' }
  /** The dialog of that stage was closed without a result. */
  | { type: 'otpAbandoned'; stage: 'otpSetup' | 'otpCheck' }
  | { type: 'refused' }
  | { type: 'reserved'; reservation: Reservation; at: Date | null }
  | { type: 'stepStarted'; step: PaymentStep }
  | { type: 'stepReached'; step: PaymentStep; at: Date }
  | { type: 'stepFailed'; problem: Problem }
  /** The wallet answered the request of this step. */
  | { type: 'stepStopped'; step: PaymentStep }
  /** The wallet's state differs from the last reading, so an earlier problem no longer applies. */
  | { type: 'walletChanged' }
  /** The wallet answered with a hash; late answers may be for an earlier order. */
  | { type: 'sent'; orderId: string; hash: `0x${string}`; at: Date }
  /** The buyer named the transaction that pays. */
  | { type: 'claimed'; orderId: string; hash: `0x${string}`; at: Date }
  /** The server lists the purchase that follows from an order: it was paid or reported, maybe on another device. */
  | { type: 'listed'; purchase: Purchase }
  | { type: 'trackingRequested'; purchase: Purchase }
  | { type: 'opened' }
  | { type: 'closed' }
  | { type: 'released' }

/** The specification's purchase flow as a state machine. An event that does not apply in the current state changes nothing. */
export function advance(flow: PurchaseFlow, event: PurchaseEvent): PurchaseFlow {
  switch (event.type) {
    case 'requested':
      if (flow.at !== 'idle' && flow.at !== 'tracking') return flow
      return { at: event.hasOtp ? 'otpCheck' : 'otpSetup', quantity: event.quantity }
    case 'otpEnabled':
      return flow.at === 'otpSetup' ? { at: 'otpCheck', quantity: flow.quantity } : flow
    case 'otpVerified':
      return flow.at === 'otpCheck' ? { at: 'reserving', quantity: flow.quantity } : flow
    case 'otpRequired':
      return flow.at === 'reserving' ? { at: 'otpCheck', quantity: flow.quantity } : flow
    case 'otpAbandoned':
      return flow.at === event.stage ? idle : flow
    case 'refused':
      return flow.at === 'payment' || flow.at === 'tracking' ? flow : idle
    case 'reserved':
      // Another one has replaced the order, unless the wallet is being asked to pay that.
      if (flow.at === 'payment' && (flow.running || flow.order.id === event.reservation.id)) return { ...flow, isOpen: true }
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
      return flow.at === 'payment' && !isBusyWithout(event.step, flow) ? { ...flow, running: null, problem: null } : flow
    case 'stepFailed':
      if (flow.at !== 'payment' || isBusyWithout(event.problem.step, flow)) return flow
      return { ...flow, running: null, problem: event.problem }
    case 'walletChanged':
      return flow.at === 'payment' && flow.problem && flow.problem.step !== 'sent' ? { ...flow, problem: null } : flow
    case 'sent':
      if (flow.at !== 'payment' || flow.order.id !== event.orderId) return flow
      return track({ ...flow, reachedAt: { ...flow.reachedAt, sent: event.at } }, event.hash)
    case 'listed':
      return flow.at === 'payment' && flow.order.id === event.purchase.id ? track(flow, event.purchase.transactionHash) : flow
    case 'claimed':
      if (flow.at === 'tracking') return flow.order.id === event.orderId ? { ...flow, hash: event.hash } : flow
      return advance(flow, { ...event, type: 'sent' })
    case 'trackingRequested':
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
      // While the wallet is asked, or after it has sent, the payment continues without its dialog.
      if ((flow.at === 'payment' && flow.running) || flow.at === 'tracking') return { ...flow, isOpen: false }
      return idle
    case 'released':
      return flow.at === 'payment' && !flow.running ? idle : flow
  }
}

export const idle: PurchaseFlow = { at: 'idle' }

const track = ({ order, isOpen, reachedAt }: Payment, hash: `0x${string}` | null): PurchaseFlow => ({
  at: 'tracking',
  order,
  isOpen,
  reachedAt,
  hash,
})

/** Whether the wallet is asked for another step: a late answer must not end the wait for a transfer, which could be paid again. */
const isBusyWithout = (step: PaymentStep, { running }: { running: PaymentStep | null }): boolean =>
  running !== null && running !== step

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
