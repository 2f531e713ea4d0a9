import { formatCount } from '#pwa/lib/formatCount.ts'

/** "1 node", "1,200 bonus nodes". */
export const countNodes = (count: number, kind = ''): string =>
  `${formatCount(count)} ${kind && `${kind} `}${count === 1 ? 'node' : 'nodes'}`
