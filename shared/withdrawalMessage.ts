import { formatAmount, parseAmount } from './amount.ts'

export interface WithdrawalTerms {
  /** The site's host, so that a signature for it is invalid on other sites. */
  host: string
  /** The chain of the payout. */
  chainId: number
  email: string
  /** The debited amount, fee included. */
  amount: bigint
  fee: bigint
  address: `0x${string}`
  /** ISO UTC, by the server's clock. */
  timestamp: string
  /** 128 random bits in hex, unique per message. */
  nonce: string
}

/** The text that a wallet signs to withdraw. Compared byte for byte, so it has one definition (money.md 29). */
export function withdrawalMessage({ host, chainId, email, amount, fee, address, timestamp, nonce }: WithdrawalTerms): string {
  return [
    `${host} asks you to confirm this withdrawal.`,
    '',
    `Account: ${email}`,
    `Amount: ${formatAmount(amount)} XCR`,
    `Fee: ${formatAmount(fee)} XCR`,
    `Net amount: ${formatAmount(amount - fee)} XCR`,
    `Withdrawal address: ${address.toLowerCase()}`,
    `Chain: ${chainId}`,
    `Time: ${timestamp}`,
    `Nonce: ${nonce}`,
  ].join('\n')
}

const form =
  /^(\S+) asks you to confirm this withdrawal\.\n\nAccount: (\S+)\nAmount: ([\d.]+) XCR\nFee: ([\d.]+) XCR\nNet amount: ([\d.]+) XCR\nWithdrawal address: (0x[0-9a-f]{40})\nChain: (\d{1,15})\nTime: (\S+)\nNonce: ([0-9a-f]{32})$/

/** Parses a message; undefined unless `withdrawalMessage` would produce exactly this text. */
export function parseWithdrawalMessage(message: string): WithdrawalTerms | undefined {
  const match = form.exec(message)
  if (!match) return undefined
  const [, host, email, amountText, feeText, , address, chainId, timestamp, nonce] = match as unknown as string[]
  const [amount, fee] = [parseAmount(amountText!), parseAmount(feeText!)]
  if (amount === undefined || fee === undefined) return undefined
  const terms: WithdrawalTerms = {
    host: host!,
    chainId: Number(chainId),
    email: email!,
    amount,
    fee,
    address: address as `0x${string}`,
    timestamp: timestamp!,
    nonce: nonce!,
  }
  return withdrawalMessage(terms) === message ? terms : undefined
}

/** The nonce of a new message. */
export const newWithdrawalNonce = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
