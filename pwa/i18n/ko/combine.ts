import type { Texts } from '../Texts.ts'

/** Several areas as one, and the texts that more than one of them has. */
export function combine(...areas: Texts[]): { texts: Texts; repeated: string[] } {
  const all = areas.flatMap((area) => Object.keys(area))
  return { texts: Object.assign({}, ...areas) as Texts, repeated: all.filter((text, at) => all.indexOf(text) !== at) }
}
