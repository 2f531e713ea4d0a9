import { ApiError } from '#shared/contract/client.ts'

/** What to tell a person about an error: the server's words if it had any, otherwise the fallback of the place it happened in. */
export function errorText(error: unknown, fallback: string): string {
  if (error instanceof ApiError) return error.serverMessage ?? fallback
  if (error instanceof TypeError) return 'No connection to the server. Nothing was changed: please try again.'
  return fallback
}
