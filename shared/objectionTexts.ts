import { formatAmount } from './amount.ts'
import type { Objection } from './objections.ts'

/** What can speak against a decision on a payment, by its facts. Apart from `objections.ts`, which every page loads. */
const texts = {
  transaction_not_found: () => 'This transaction is not on the chain. It may not be mined yet.',
  transaction_failed: () => 'This transaction failed.',
  transaction_unlike_deposit: () => 'The payment chain does not show this deposit as recorded. Please try again in a moment.',
  transfers_no_usdt: () => 'This transaction transfers no USDT.',
  transfers_elsewhere: () => 'This transaction transfers USDT to an address other than the deposit address.',
  other_wallet: ({ wallet }: { wallet: string }) =>
    `The payment was sent from ${wallet}, another wallet than that of the purchase.`,
  amount_differs: ({ received, price }: { received: string; price: string }) =>
    `This transaction transfers ${received} USDT, but the purchase costs ${price} USDT.`,
  wallet_of_another: ({ account }: { wallet: string; account: string }) =>
    `Another account has proven that the wallet of this payment is its own: ${account}. The account of the purchase has not.`,
  wallet_last_of_another: ({ account }: { wallet: string; account: string }) =>
    `Another account was the last to prove that the wallet of this payment is its own: ${account}.`,
  payment_of_another: ({ account }: { account: string }) => `This payment is recorded as one of another account: ${account}.`,
  reported_by_another: ({ account }: { account: string }) =>
    `This payment was reported for a purchase of another account: ${account}.`,
  below_price: ({ price, due }: { price: string; due: string }) =>
    `The purchase costs ${price} USDT. At the price in force when it was opened, ${due} USDT is due.`,
  received_less: ({ received, due }: { received: string; due: string }) =>
    `Final payments of ${received} USDT count for this, but ${due} USDT is due.`,
  received_more: ({ received, due }: { received: string; due: string }) =>
    `Final payments of ${received} USDT count for this, but only ${due} USDT is due. The rest buys nothing.`,
  may_be_refunded: () => 'The database was restored after this payment. Look up whether it was refunded before.',
}

type Texts = typeof texts
export type ObjectionCode = keyof Texts

/** Amounts are in USDT, wallets in lower case, accounts by their email address. */
export const objectTo = <Code extends ObjectionCode>(code: Code, ...[facts]: Parameters<Texts[Code]>): Objection => ({
  code,
  facts: { ...facts },
})

/** To a purchase whose final payments are not what is due. */
export function objectToReceived(received: bigint, due: bigint): Objection[] {
  if (received === due) return []
  const facts = { received: formatAmount(received), due: formatAmount(due) }
  return [objectTo(received < due ? 'received_less' : 'received_more', facts)]
}

/** In English; pages translate it. One that this version does not know is named by its code. */
export const textOfObjection = ({ code, facts }: Objection): string =>
  (texts as unknown as Readonly<Record<string, (facts: Objection['facts']) => string>>)[code]?.(facts) ?? code
