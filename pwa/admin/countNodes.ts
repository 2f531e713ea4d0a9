import { plural } from '#pwa/i18n/t.ts'

/** "1 node", "1,200 nodes". */
export const countNodes = (count: number): string => plural(count, '{count} node', '{count} nodes')

/** "1 bonus node", "1,200 bonus nodes". */
export const countBonusNodes = (count: number): string => plural(count, '{count} bonus node', '{count} bonus nodes')
