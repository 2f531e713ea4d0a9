/** First 8 characters, as the specification shows transaction ids. */
export const shortId = (id: string): string => id.slice(0, 8)
