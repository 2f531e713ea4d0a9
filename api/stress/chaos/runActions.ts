import type { PrivateKeyAccount } from 'viem'
import { buy } from './buy.ts'
import type { ChaosUser } from './createUsers.ts'
import type { PurchaseRecord, WithdrawalRecord } from './History.ts'
import type { PlannedPurchase, PlannedWithdrawal } from './makePlan.ts'
import type { Run } from './Run.ts'
import { withdraw } from './withdraw.ts'

interface PurchaseAction {
  planned: PlannedPurchase
  buyer: ChaosUser
  stranger: PrivateKeyAccount
}

/** Executes a planned purchase and keeps its record. */
export async function runPurchase(run: Run, { planned, buyer, stranger }: PurchaseAction): Promise<void> {
  const isStranger = planned.kind === 'paidByStranger'
  const record: PurchaseRecord = {
    plan: planned,
    userId: isStranger ? null : buyer.userId,
    wallet: (isStranger ? stranger : buyer.wallet).address.toLowerCase() as `0x${string}`,
    transfers: [],
    purchaseIds: new Set(),
    isDone: false,
    refused: undefined,
    begunAt: Date.now(),
  }
  run.history.purchases.push(record)
  await buy(run, { buyer, stranger, record })
  record.endedAt = Date.now()
}

/** Executes a planned withdrawal and keeps its record. */
export async function runWithdrawal(
  run: Run,
  { planned, holder }: { planned: PlannedWithdrawal; holder: ChaosUser },
): Promise<void> {
  const record: WithdrawalRecord = {
    plan: planned,
    userId: holder.userId,
    wallet: holder.wallet.address.toLowerCase() as `0x${string}`,
    ids: new Set(),
    isDone: false,
    refused: undefined,
    begunAt: Date.now(),
  }
  run.history.withdrawals.push(record)
  await withdraw(run, { holder, record })
  record.endedAt = Date.now()
}
