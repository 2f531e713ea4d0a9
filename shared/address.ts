/** First 6 and last 4 characters, as the specification displays addresses and hashes. */
export const shorten = (text: string): string => `${text.slice(0, 6)}...${text.slice(-4)}`
