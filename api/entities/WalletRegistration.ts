import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/** One stretch of time in which an address was an account's. Tells whose a deposit was when it was mined. */
export const WalletRegistrationSchema = defineEntity({
  name: 'WalletRegistration',
  tableName: 'wallet_registrations',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref(),
    address: addressColumn().index(),
    registeredAt: instantColumn(),
    /** When a signature of that wallet was shown; null while nobody has proven it. */
    provenAt: instantColumn().nullable(),
    removedAt: instantColumn().nullable(),
  },
})

export class WalletRegistration extends WalletRegistrationSchema.class {}
WalletRegistrationSchema.setClass(WalletRegistration)
