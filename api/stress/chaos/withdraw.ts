import { randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { ApiError } from '#shared/contract/client.ts'
import { cancelWithdrawal, requestWithdrawal } from '#shared/contract/withdrawals.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { newWithdrawalNonce, withdrawalMessage } from '#shared/withdrawalMessage.ts'
import type { WithdrawalRecord } from './History.ts'
import { grantMark } from './grantMark.ts'
import { RetryTimeoutError, retry, openClient } from './retry.ts'
import type { ChaosUser } from './createUsers.ts'
import type { Run } from './Run.ts'

/** Executes a planned withdrawal with retries. A repeated one sends the same signature in two requests. */
export async function withdraw(run: Run, { holder, record }: { holder: ChaosUser; record: WithdrawalRecord }): Promise<void> {
  const { world } = run
  const { amount, isRepeated, isCancelled } = record.plan
  const call = openClient(run, holder.cookie)
  const signerAddress = holder.wallet.address.toLowerCase() as Address
  const signedMessage = withdrawalMessage({
    host: new URL(world.url).host,
    chainId: REWARD_CHAIN_ID,
    email: holder.email,
    amount,
    fee: parseAmount('5')!,
    address: signerAddress,
    timestamp: new Date().toISOString(),
    nonce: newWithdrawalNonce(),
  })
  const signature = await holder.wallet.signMessage({ message: signedMessage })
  const body = { amount, signature, signedMessage, signerAddress }
  const send = async () => {
    await grantMark(run, holder)
    const idempotencyKey = randomUUID()
    const { id } = await retry(run, (signal) => call(requestWithdrawal, { body }, { idempotencyKey, signal }))
    record.ids.add(id)
    if (!isCancelled) return
    // Refused if it is signed or was cancelled by the repeated request.
    const cancelKey = randomUUID()
    await retry(run, (signal) => call(cancelWithdrawal, { params: { id } }, { idempotencyKey: cancelKey, signal })).catch(
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error
      },
    )
  }
  const outcomes = await Promise.allSettled(isRepeated ? [send(), send()] : [send()])
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  if (failures.some((failure) => failure instanceof RetryTimeoutError)) return
  for (const failure of failures) if (!(failure instanceof ApiError)) throw failure
  if (failures.length < outcomes.length) record.isDone = true
  else
    record.refused = failures.map((failure) => `${(failure as ApiError).status} ${(failure as ApiError).code ?? ''}`).join(', ')
}
