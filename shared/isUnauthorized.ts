/**
 * Whether an error says that the session has ended ("Error recognition" in the specification). Separate from the client, so that
 * every page can import it.
 */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('401: ') && error.message.includes('Unauthorized')
