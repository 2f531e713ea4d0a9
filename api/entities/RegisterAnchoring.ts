import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, amountColumn, hashColumn, instantColumn } from '#api/platform/db/columns.ts'

/** The last transaction signed for an anchor contract. Sending it again changes nothing. */
export const RegisterAnchoringSchema = defineEntity({
  name: 'RegisterAnchoring',
  tableName: 'register_anchorings',
  properties: {
    contract: addressColumn().primary(),
    nonce: p.bigint('number'),
    /** The number of entries that it anchors. */
    size: p.bigint('number'),
    hash: hashColumn(),
    signedBytes: p.text().$type<`0x${string}`>(),
    /** In wei per unit of gas. */
    maxFeePerGas: amountColumn(),
    maxPriorityFeePerGas: amountColumn(),
    signedAt: instantColumn(),
  },
})

export class RegisterAnchoring extends RegisterAnchoringSchema.class {}
RegisterAnchoringSchema.setClass(RegisterAnchoring)
