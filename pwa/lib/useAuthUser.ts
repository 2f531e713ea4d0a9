import { useQuery } from '@tanstack/react-query'
import { authUserQuery } from './queries.ts'

/** The logged-in user: undefined while loading, null for a visitor. */
export const useAuthUser = () => useQuery(authUserQuery).data
