import { Type } from '@mikro-orm/postgresql'

/**
 * A bigint in a `numeric(78, 0)` column: 18-decimal token amounts do not fit an int8.
 *
 * The ORM's own decimal type compares as floats and so loses small changes.
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
