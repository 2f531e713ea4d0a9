import type { EntityManager } from '@mikro-orm/postgresql'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Term } from '#api/platform/db/lead.ts'
import type { Services } from '#api/platform/services.ts'
import { writeInTerm } from '#api/platform/tables/writeInTerm.ts'
import { query } from './tables.ts'

export interface LeaderOptions {
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>
  endpoints: readonly RpcEndpoint[]
  term: Pick<Term, 'role' | 'epoch'>
}

/** What the leader of a role works with: the endpoints of its chain, and the writes that are reserved to it. */
export class LeaderContext {
  readonly services: LeaderOptions['services']
  readonly endpoints: LeaderOptions['endpoints']
  readonly #term: LeaderOptions['term']

  constructor({ services, endpoints, term }: LeaderOptions) {
    this.services = services
    this.endpoints = endpoints
    this.#term = term
  }

  /** Runs a transaction that only commits while this process is the leader. */
  write<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return writeInTerm(this.services.orm, this.#term, work)
  }

  /** Queries outside of transactions. */
  get read() {
    return query(this.services.orm.em.fork())
  }
}
