import { p } from '@mikro-orm/postgresql'
import { AmountType } from './AmountType.ts'
import { newId } from './newId.ts'

/** Column definitions shared by many entities. */
export const idColumn = () => p.uuid().primary().onCreate(newId)
export const amountColumn = () => p.type(AmountType)
/** Millisecond precision like Date, so that a value is read back exactly as written. */
export const instantColumn = () => p.datetime().length(3)
export const addressColumn = () => p.string().length(42).$type<`0x${string}`>()
export const hashColumn = () => p.string().length(66).$type<`0x${string}`>()
