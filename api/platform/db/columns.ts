import { p } from '@mikro-orm/postgresql'
import { AmountType } from './AmountType.ts'
import { newId } from './newId.ts'

/** Columns that many entities have, each described once. */
export const idColumn = () => p.uuid().primary().onCreate(newId)
export const amountColumn = () => p.type(AmountType)
/** Milliseconds: what a Date holds, so that a value read back equals the one written. */
export const instantColumn = () => p.datetime().length(3)
export const addressColumn = () => p.string().length(42).$type<`0x${string}`>()
export const hashColumn = () => p.string().length(66).$type<`0x${string}`>()
