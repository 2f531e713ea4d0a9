import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, instantColumn } from '#api/platform/db/columns.ts'

/** A final anchor of an anchor contract, as read from the chain, whether or not it is a root of our log. */
export const RegisterAnchorSchema = defineEntity({
  name: 'RegisterAnchor',
  tableName: 'register_anchors',
  properties: {
    contract: addressColumn().primary(),
    /** The index in the contract. */
    index: p.integer().primary(),
    /** The number of entries. */
    size: p.bigint('number'),
    root: p.blob(),
    /** The time of its block. */
    time: instantColumn(),
  },
})

export class RegisterAnchor extends RegisterAnchorSchema.class {}
RegisterAnchorSchema.setClass(RegisterAnchor)
