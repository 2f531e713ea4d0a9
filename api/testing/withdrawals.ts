import type { MikroORM } from '@mikro-orm/postgresql'
import type { Address, Hex, PrivateKeyAccount } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/withdrawals.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { newWithdrawalNonce, withdrawalMessage, type WithdrawalTerms } from '#shared/withdrawalMessage.ts'
import { newId } from '#api/platform/db/newId.ts'
import { User } from '#api/entities/User.ts'
import { Withdrawal, type WithdrawalReviewReason } from '#api/entities/Withdrawal.ts'
import { openWithdrawal } from '#api/withdrawals/requests/openWithdrawal.ts'
import { makeAccount } from './chains.ts'
import type { TestDatabase } from './database.ts'
import { makeUser } from './factories.ts'
import { giveXcr } from './giveXcr.ts'
import { type Buyer, type BuyerOptions, makeBuyer } from './people.ts'
import { type ServerOptions, startServer, type TestServer } from './server.ts'

/** A signed withdrawal request, as the client sends it. */
export interface SignedWithdrawal {
  amount: bigint
  signature: Hex
  signedMessage: string
  signerAddress: Address
}

export interface Withdrawals {
  server: TestServer
  /** Creates a holder with an enabled authenticator, a proven wallet and XCR. */
  openHolder(options?: BuyerOptions & { xcr?: string }): Promise<Buyer>
  /** Signs the message for a withdrawal of this amount. `change` alters its terms, `by` signs instead of the holder's wallet. */
  sign(
    holder: Buyer,
    xcr: string,
    options?: { change?: Partial<WithdrawalTerms>; by?: PrivateKeyAccount },
  ): Promise<SignedWithdrawal>
  send(holder: Buyer, signed: SignedWithdrawal, idempotencyKey?: string): Promise<contract.Withdrawal>
  /** Signs and sends a request, authorized as by a verified code. */
  ask(holder: Buyer, xcr: string): Promise<contract.Withdrawal>
}

/** Starts a web server for withdrawals. `env` sets the chains; without it no chain answers. */
export const startWithdrawals = async (database: TestDatabase, options: ServerOptions = {}): Promise<Withdrawals> =>
  withdrawalsOf(await startServer(database, options))

/** The same on a server that runs. */
export function withdrawalsOf(server: TestServer): Withdrawals {
  const { orm, clock } = server.services

  const sign: Withdrawals['sign'] = async (holder, xcr, { change = {}, by = holder.wallet } = {}) => {
    const amount = parseAmount(xcr)!
    const signerAddress = holder.wallet.address.toLowerCase() as Address
    const signedMessage = withdrawalMessage({
      host: new URL(server.url).host,
      chainId: REWARD_CHAIN_ID,
      email: holder.user.email,
      amount,
      fee: parseAmount('5')!,
      address: signerAddress,
      timestamp: clock.now().toISOString(),
      nonce: newWithdrawalNonce(),
      ...change,
    })
    return { amount, signedMessage, signerAddress, signature: await by.signMessage({ message: signedMessage }) }
  }
  const send: Withdrawals['send'] = (holder, body, idempotencyKey) =>
    holder.browser.call(contract.requestWithdrawal, { body }, idempotencyKey ? { idempotencyKey } : {})

  return {
    server,
    async openHolder({ xcr = '10000', ...options } = {}) {
      const holder = await makeBuyer(server, options)
      if (parseAmount(xcr)! > 0n) await giveXcr(orm, holder.user.id, xcr)
      return holder
    },
    sign,
    send,
    async ask(holder, xcr) {
      await holder.grantMark()
      return send(holder, await sign(holder, xcr))
    },
  }
}

export interface GivenWithdrawal {
  /** The owner; by default a new user with just enough XCR. */
  userId?: string
  amount?: string
  fee?: string
  toAddress?: Address
  /** Puts it into manual review. */
  reviewReason?: WithdrawalReviewReason
  heldUntil?: Date
  /** Product time and real time. */
  now?: Date
}

/** Inserts a requested withdrawal with its debit into the database, without wallet or server. */
export async function insertWithdrawal(
  orm: MikroORM,
  {
    userId,
    amount = '3000',
    fee = '5',
    toAddress = makeAccount().address,
    reviewReason,
    heldUntil,
    now = new Date(),
  }: GivenWithdrawal = {},
): Promise<Withdrawal> {
  const to = toAddress.toLowerCase() as Address
  const { id: owner, email } = userId
    ? await orm.em.fork().findOneOrFail(User, userId)
    : (await makeUser(orm.em.fork(), { now })).user
  if (!userId) await giveXcr(orm, owner, amount)
  const id = newId()
  const terms = { amount: parseAmount(amount)!, fee: parseAmount(fee)! }
  await orm.em.fork().transactional((em) =>
    openWithdrawal(em, {
      id,
      userId: owner,
      ...terms,
      toAddress: to,
      review: { reviewReason: reviewReason ?? null, heldUntil: heldUntil ?? null },
      signedMessage: withdrawalMessage({
        ...terms,
        host: 'nodes.example.com',
        chainId: REWARD_CHAIN_ID,
        email,
        address: to,
        timestamp: now.toISOString(),
        nonce: newWithdrawalNonce(),
      }),
      signature: '0x',
      now,
      productNow: now,
    }),
  )
  return orm.em.fork().findOneOrFail(Withdrawal, id)
}
