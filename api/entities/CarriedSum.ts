import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn } from '#api/platform/db/columns.ts'
import { ArchivedMonth } from './ArchivedMonth.ts'

/**
 * What the entries and distributions of all months up to an archived one sum up to for an account. A balance is the sums of the last
 * archived month and the entries since. Append-only, and written by the owner of the tables alone.
 */
export const CarriedSumSchema = defineEntity({
  name: 'CarriedSum',
  tableName: 'carried_sums',
  properties: {
    month: () => p.manyToOne(ArchivedMonth).ref().primary().fieldName('month').updateRule('no action').deleteRule('no action'),
    accountId: p.uuid().primary(),
    /** The balance at the end of the month. */
    moved: amountColumn(),
    /** The sum of the distributions, without corrections. */
    distributed: amountColumn(),
  },
})

export class CarriedSum extends CarriedSumSchema.class {}
CarriedSumSchema.setClass(CarriedSum)
