import type { ReactNode } from 'react'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { useMayCall } from './useMayCall.ts'

/** What only those see who may make a call. */
export function ForRole({ of: endpoint, children }: { of: Pick<Endpoint, 'roles'>; children: ReactNode }) {
  const mayCall = useMayCall()
  return mayCall(endpoint) ? children : null
}
