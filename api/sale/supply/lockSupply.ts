import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { Supply } from '#api/entities/Supply.ts'

/** Locks the supply row until the transaction ends. Purchases are locked before it, accounts after it (money.md 15). */
export const lockSupply = (em: EntityManager): Promise<Supply> =>
  em.findOneOrFail(Supply, { id: 1 }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
