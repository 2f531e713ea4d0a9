/** Whether a filter has more than a search by email, which has its own fast way (decision 13). */
export const isNarrowed = (filter: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(filter).some(([name, value]) => name !== 'email' && value !== undefined)
