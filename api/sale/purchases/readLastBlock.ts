import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'

/** The last block of the payment chain whose deposits were read; undefined before the first. */
export const readLastBlock = (em: EntityManager) =>
  query(em)
    .selectFrom('chain_blocks')
    .select(['number', 'hash', 'time'])
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
