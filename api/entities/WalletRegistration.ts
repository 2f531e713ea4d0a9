import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/** A period in which an address was an account's wallet. Determines the owner of a deposit at the time it was mined. */
export const WalletRegistrationSchema = defineEntity({
  name: 'WalletRegistration',
  tableName: 'wallet_registrations',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().index(),
    address: addressColumn().index(),
    registeredAt: instantColumn(),
    /** When a signature of the wallet was verified; null while it is unproven. */
    provenAt: instantColumn().nullable(),
    removedAt: instantColumn().nullable(),
  },
})

export class WalletRegistration extends WalletRegistrationSchema.class {}
WalletRegistrationSchema.setClass(WalletRegistration)
