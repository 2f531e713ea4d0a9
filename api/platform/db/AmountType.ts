import { Type } from '@mikro-orm/postgresql'

/**
 * A bigint in a `numeric(78, 0)` column, because token amounts with 18 decimals exceed an int8.
 *
 * The ORM's own decimal type compares values as floats and so misses small changes.
 */
export class AmountType extends Type<bigint, string> {
  override convertToDatabaseValue(value: bigint): string {
    return value == null ? value : value.toString()
  }

  override convertToJSValue(value: string): bigint {
    return value == null ? value : BigInt(value)
  }

  override getColumnType(): string {
    return 'numeric(78, 0)'
  }

  override compareAsType(): string {
    return 'bigint'
  }

  override toJSON(value: bigint): string {
    return value.toString()
  }
}
