import { useQuery } from '@tanstack/react-query'
import { authUserQuery } from './queries.ts'

/** The person logged in: undefined while it is not known yet, null for a visitor. */
export const useAuthUser = () => useQuery(authUserQuery).data
