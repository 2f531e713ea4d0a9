import type { Texts } from '../Texts.ts'

/** Merges the catalogues of several areas, and the texts that they share. */
export function combine(...areas: Texts[]): { texts: Texts; repeated: string[] } {
  const all = areas.flatMap((area) => Object.keys(area))
  return { texts: Object.assign({}, ...areas) as Texts, repeated: all.filter((text, at) => all.indexOf(text) !== at) }
}
