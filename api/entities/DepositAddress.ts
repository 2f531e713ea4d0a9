import { defineEntity } from '@mikro-orm/postgresql'
import { addressColumn, instantColumn } from '#api/platform/db/columns.ts'

/** Every deposit address ever configured. All are watched forever, because old ones may still be paid. */
export const DepositAddressSchema = defineEntity({
  name: 'DepositAddress',
  tableName: 'deposit_addresses',
  properties: {
    address: addressColumn().primary(),
    addedAt: instantColumn(),
  },
})

export class DepositAddress extends DepositAddressSchema.class {}
DepositAddressSchema.setClass(DepositAddress)
