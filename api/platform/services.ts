import type { MikroORM } from '@mikro-orm/postgresql'
import type { ChainClient } from './chain/ChainClient.ts'
import type { PaymentChainClient } from './chain/PaymentChainClient.ts'
import type { Clock } from './clock/Clock.ts'
import type { Config } from './config.ts'
import type { EventHub } from './events/EventHub.ts'
import type { StreamSlots } from './events/StreamSlots.ts'
import type { RateLimiter } from './http/limitRate.ts'
import type { JobQueue } from './jobs/JobQueue.ts'
import type { MailTransport } from './mail/mailTransport.ts'

/**
 * The parts of a running role, by the names under which functions ask for them: `Pick<Services, …>`. Only `app/`, which builds them, and
 * the worker, which hands each job what it uses, know them all.
 */
export interface Services {
  config: Config
  orm: MikroORM
  /** A copy of the database that follows it: what is read there may be old. Absent where none is configured. */
  replica?: MikroORM
  clock: Clock
  events: EventHub
  streams: StreamSlots
  jobs: JobQueue
  limits: RateLimiter
  mail: MailTransport
  paymentChain: PaymentChainClient
  rewardChain: ChainClient
}
