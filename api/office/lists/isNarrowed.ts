/** Whether a filter has more than a search by email, which has its own fast way (decision 13). */
export const isNarrowed = ({ email: _, ...others }: Readonly<Record<string, unknown>>): boolean =>
  Object.values(others).some((value) => value !== undefined)
