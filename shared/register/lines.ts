import { demand } from './FormatError.ts'
import type { Codec } from './values.ts'

/** The largest entry or receipt, in bytes. */
export const MAX_TEXT = 65_536

/** The lines of a text below its head, in a fixed order. */
export interface LineForm<Values> {
  /** All lines, or without the last one. */
  write(values: Values, options?: { withoutLast?: boolean }): string
  /** @throws {FormatError} unless they are exactly these lines. */
  read(lines: readonly string[]): Values
}

export type ValuesOf<Form> = Form extends LineForm<infer Values> ? Values : never

/** A form with a line for each property, in their order. A property `logKey` is the line `log-key`. */
export function linesOf<Codecs extends Record<string, Codec<unknown>>>(
  codecs: Codecs,
): LineForm<{ [Name in keyof Codecs]: Codecs[Name] extends Codec<infer Value> ? Value : never }> {
  type Values = { [Name in keyof Codecs]: Codecs[Name] extends Codec<infer Value> ? Value : never }
  const form = Object.entries(codecs).map(([property, codec]) => ({
    property,
    start: `${property.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} `,
    codec,
  }))
  return {
    write: (values, { withoutLast = false } = {}) =>
      form
        .slice(0, withoutLast ? -1 : undefined)
        .map(({ property, start, codec }) => `${start}${codec.write(values[property])}\n`)
        .join(''),
    read(lines) {
      demand(lines.length === form.length, `The text has ${lines.length} lines in place of ${form.length}`)
      const values: Record<string, unknown> = {}
      for (const [index, { property, start, codec }] of form.entries()) {
        const line = lines[index]!
        demand(line.startsWith(start), `The line ${start}is missing`)
        values[property] = codec.read(line.slice(start.length))
      }
      return values as Values
    },
  }
}

/** The first line of a text, and the others. The values' codecs allow printable ASCII only. @throws {FormatError} */
export function splitHead(text: string): { head: string; rest: string[] } {
  demand(text.length <= MAX_TEXT, 'The text is too long')
  demand(text.endsWith('\n'), 'The text ends within a line')
  const [head = '', ...rest] = text.slice(0, -1).split('\n')
  return { head, rest }
}
