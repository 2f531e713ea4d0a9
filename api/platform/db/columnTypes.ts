import pg from 'pg'

/**
 * Converts values by their PostgreSQL type, whatever their name in a query: `timestamptz` to Date, `numeric` to bigint, `bigint`
 * (counts, block numbers) to number. The ORM converts by column name, so an aliased amount or a sum would be returned as a
 * string.
 */
export const columnTypes = new pg.TypeOverrides()

const { builtins } = pg.types

columnTypes.setTypeParser(builtins.NUMERIC, (text: string) => (/^-?\d+$/.test(text) ? BigInt(text) : text))
columnTypes.setTypeParser(builtins.INT8, (text: string) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} does not fit a number.`)
  return number
})
// Dates stay strings, because they have no time zone.
columnTypes.setTypeParser(builtins.DATE, (text: string) => text)
