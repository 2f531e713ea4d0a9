/** Whether an error says that the session is gone ("Error recognition" in the specification). Apart from the client, so that every page may ask. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('401: ') && error.message.includes('Unauthorized')
