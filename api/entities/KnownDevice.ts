import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '../db/columns.ts'
import { User } from './User.ts'

/** A browser from which an account has logged in before: a login from any other one is mailed to the owner. */
const KnownDeviceSchema = defineEntity({
  name: 'KnownDevice',
  tableName: 'known_devices',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref(),
    /** SHA-256 of the random name in the browser's long-lived cookie. */
    tokenHash: p.string().length(64),
    firstSeenAt: instantColumn(),
    lastSeenAt: instantColumn(),
  },
  uniques: [{ properties: ['user', 'tokenHash'] }],
})

export class KnownDevice extends KnownDeviceSchema.class {}
KnownDeviceSchema.setClass(KnownDevice)
