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

/** What the features of a running role share. Built once, by `startProduct` or by a test. */
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
