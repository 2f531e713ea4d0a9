import { parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/register.ts'
import { requestWithdrawal } from '#shared/contract/withdrawals.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { newWithdrawalNonce, withdrawalMessage } from '#shared/withdrawalMessage.ts'
import { signDueReceipts } from '#api/integrity/register/signReceipts.ts'
import { parseReceipt } from '#api/integrity/register/verify.mjs'
import type { Buyer } from './people.ts'
import type { RegisterWorld } from './registerWorld.ts'

/** Buys nodes and returns the payment. */
export async function buy(world: RegisterWorld, buyer: Buyer, nodes: number): Promise<string> {
  await world.reserve(buyer, nodes)
  const hash = await world.pay(buyer.wallet, String(nodes * 3))
  await world.confirm()
  return `${hash} 0`
}

/** Withdraws as the page does. Returns the signed message. */
export async function withdraw(world: RegisterWorld, { browser, grantMark, user, wallet }: Buyer, xcr: string): Promise<string> {
  await grantMark()
  const amount = parseAmount(xcr)!
  const address = wallet.address.toLowerCase() as `0x${string}`
  const signedMessage = withdrawalMessage({
    host: new URL(world.server.url).host,
    chainId: REWARD_CHAIN_ID,
    email: user.email,
    amount,
    fee: parseAmount('5')!,
    address,
    timestamp: world.server.clock.now().toISOString(),
    nonce: newWithdrawalNonce(),
  })
  const signature = await wallet.signMessage({ message: signedMessage })
  await browser.call(requestWithdrawal, { body: { amount, signedMessage, signature, signerAddress: address } })
  return signedMessage
}

/** What the account's page knows. */
export async function knowledgeOf(world: RegisterWorld, { browser, grantMark, user, wallet }: Buyer, day: string) {
  await signDueReceipts.run(world.server.services)
  await grantMark()
  const { proofKey, earlier } = await browser.call(contract.showProofKeys, {})
  const { receipts } = await browser.call(contract.listReceipts, { query: { after: -1 } })
  const { books } = await browser.call(contract.readRegisterDay, { params: { day }, query: { after: -1 } })
  return {
    keys: [proofKey, ...earlier].map((key) => Buffer.from(key, 'base64')),
    email: user.email,
    receipts: receipts.map(({ note }) => parseReceipt(Buffer.from(note))),
    wallets: [wallet.address.toLowerCase()],
    balance: books!.balance,
    debt: books!.debt,
  }
}
