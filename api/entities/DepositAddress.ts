import { defineEntity } from '@mikro-orm/postgresql'
import { addressColumn, instantColumn } from '#api/platform/db/columns.ts'

/** Every deposit address ever configured. All are watched for ever: somebody may still pay to an old one. */
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
