/** How a page is read from the nearer end of its list, so that the last page costs as much as the first. */
export function nearerEnd({ limit, offset, totalCount }: { limit: number; offset: number; totalCount: number }) {
  const wanted = Math.max(0, Math.min(limit, totalCount - offset))
  const after = Math.max(0, totalCount - offset - wanted)
  const isReversed = after < offset
  return { isReversed, limit: wanted, offset: isReversed ? after : offset }
}

export const opposite = { asc: 'desc', desc: 'asc' } as const
