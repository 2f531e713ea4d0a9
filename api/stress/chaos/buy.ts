import { setTimeout as delay } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { parseEther, type PrivateKeyAccount } from 'viem'
import { ApiError } from '#shared/contract/client.ts'
import * as contract from '#shared/contract/purchases.ts'
import type { PurchaseRecord, SentTransfer } from './History.ts'
import { createRandom } from './createRandom.ts'
import { grantMark } from './grantMark.ts'
import { RetryTimeoutError, retry, openClient } from './retry.ts'
import type { PurchaseKind } from './makePlan.ts'
import type { ChaosUser } from './createUsers.ts'
import type { Run } from './Run.ts'
import { sendSigned, signUsdt } from './sendUsdt.ts'

/** The initial price. */
const PRICE = parseEther('3')

/** Executes a planned purchase with retries, and records payments and answers. */
export async function buy(
  run: Run,
  { buyer, stranger, record }: { buyer: ChaosUser; stranger: PrivateKeyAccount; record: PurchaseRecord },
) {
  const { world } = run
  const { kind, quantity, seed } = record.plan
  const random = createRandom(seed)
  const call = openClient(run, buyer.cookie)
  const amount = PRICE * BigInt(quantity)
  let nonce = 0

  const reserve = async () => {
    await grantMark(run, buyer)
    const idempotencyKey = randomUUID()
    await retry(run, (signal) =>
      call(contract.createReservation, { body: { requestedQuantity: quantity } }, { idempotencyKey, signal }),
    )
    record.reservedAt = Date.now()
  }
  const release = async () => {
    const idempotencyKey = randomUUID()
    return retry(run, (signal) => call(contract.releaseReservation, {}, { idempotencyKey, signal }))
  }
  const report = async (transfer?: SentTransfer) => {
    const idempotencyKey = randomUUID()
    const body = {
      requestedQuantity: quantity,
      purchaseAmountUsdt: amount,
      ...(transfer && { transactionHash: transfer.hash }),
    }
    const { id } = await retry(run, (signal) => call(contract.createPurchase, { body }, { idempotencyKey, signal }))
    record.purchaseIds.add(id)
  }
  const pay = async (value = amount, from = buyer.wallet) => {
    const transfer = await signUsdt(world.payment, { from, amount: value, nonce: nonce++ })
    record.transfers.push(transfer)
    await retry(run, () => sendSigned(world.payment, transfer))
    return transfer
  }
  const pause = (min: number, max: number) => delay(random.between(min, max))

  const actions: Record<PurchaseKind, () => Promise<unknown>> = {
    async reported() {
      await reserve()
      await pause(0, 1_000)
      await report(await pay())
    },
    async unreported() {
      await reserve()
      await pay()
    },
    async reportedLate() {
      await reserve()
      const transfer = await pay()
      await pause(2_000, 6_000)
      await report(transfer)
    },
    async spedUp() {
      await reserve()
      // The wallet returned this hash, and then replaced the transaction by another one.
      const replaced = await signUsdt(world.payment, { from: buyer.wallet, amount, nonce, fee: 900n })
      await report(replaced)
      await pause(0, 2_000)
      await pay()
    },
    async paidAfterRelease() {
      await reserve()
      await pause(0, 1_000)
      await release()
      await pay()
    },
    async paidTooLittle() {
      await reserve()
      await report(await pay(amount - PRICE / 2n))
    },
    async paidTooMuch() {
      await reserve()
      await report(await pay(amount + PRICE / 2n))
    },
    async paidInTwoParts() {
      await reserve()
      await report(await pay(PRICE / 3n))
      await pause(0, 2_000)
      await pay(amount - PRICE / 3n)
    },
    async paidTwice() {
      await reserve()
      await report(await pay())
      await pause(0, 3_000)
      await pay()
    },
    paidUnasked: () => pay(),
    paidByStranger: () => pay(amount, stranger),
    neverPaid: reserve,
  }
  try {
    await actions[kind]()
    record.isDone = true
  } catch (error) {
    if (error instanceof RetryTimeoutError) return
    if (!(error instanceof ApiError)) throw error
    record.refused = `${error.status} ${error.code ?? ''}`
  }
}
