import { defineEntity, p } from '@mikro-orm/postgresql'

/**
 * The single row that guards the supply. Reserving, confirming, granting and releasing lock it and update its counts; the check
 * constraint prevents overselling.
 */
export const SupplySchema = defineEntity({
  name: 'Supply',
  tableName: 'supply',
  properties: {
    id: p.integer().primary().autoincrement(false),
    total: p.integer(),
    /** Nodes allocated to paid purchases. */
    paid: p.integer().default(0),
    /** Nodes granted as a bonus. */
    bonus: p.integer().default(0),
    /** Held by reservations and pending purchases: the sum of `held_quantity` of all purchases. */
    reserved: p.integer().default(0),
  },
  checks: [
    { name: 'supply_one_row', expression: 'id = 1' },
    { name: 'supply_not_negative', expression: 'paid >= 0 and bonus >= 0 and reserved >= 0' },
    { name: 'supply_not_exceeded', expression: 'paid + bonus + reserved <= total' },
  ],
})

export class Supply extends SupplySchema.class {
  remaining(): number {
    return this.total - this.paid - this.bonus - this.reserved
  }
}
SupplySchema.setClass(Supply)
