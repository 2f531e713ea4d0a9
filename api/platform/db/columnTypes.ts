import pg from 'pg'

/**
 * What columns and expressions come out as, by their type in PostgreSQL and whatever they are called in a query: `timestamptz` as a Date,
 * `numeric` as a bigint, `bigint` (counts, block numbers) as a number. The ORM's own conversion goes by the column's name, so that an
 * amount under an alias or a sum would come out as a string.
 */
export const columnTypes = new pg.TypeOverrides()

const { builtins } = pg.types

columnTypes.setTypeParser(builtins.NUMERIC, (text: string) => (/^-?\d+$/.test(text) ? BigInt(text) : text))
columnTypes.setTypeParser(builtins.INT8, (text: string) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} does not fit a number.`)
  return number
})
// A day is no moment.
columnTypes.setTypeParser(builtins.DATE, (text: string) => text)
