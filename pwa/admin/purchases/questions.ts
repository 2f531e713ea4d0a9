import type { Purchase } from '#shared/contract/purchases.ts'
import type { DecidedDeposit } from './purchaseWords.ts'

export type DepositQuestion = { about: 'assign' | 'refund' | 'ignore' | 'restore' | 'leave'; deposit: DecidedDeposit }
export type PurchaseQuestion = { about: 'approve' | 'reject'; purchase: Purchase }
