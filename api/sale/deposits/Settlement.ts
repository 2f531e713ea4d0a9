import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from '#api/platform/services.ts'
import type { SenderRecords } from './matchDeposit.ts'
import type { WaitingPayment } from './tellWaiting.ts'

export type SettlementServices = Pick<Services, 'jobs' | 'clock' | 'config'>

/** Settles the final deposits of one sender. */
export interface Settlement {
  em: EntityManager
  services: SettlementServices
  records: SenderRecords
  /** Accounts whose requests have changed; their pages are updated once. */
  changedUsers: Set<string>
  /** Payments that wait for a person; their owners are told at the end. */
  waiting: WaitingPayment[]
}

/** True if the step has settled the deposit; undefined if the next step must try. */
export type Settled = true | undefined
