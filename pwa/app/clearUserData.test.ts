import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { chooseQuantity, restoreQuantity, useChosenQuantity } from '#pwa/features/purchase/chosenQuantity.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { clearUserData } from './clearUserData.ts'

const contract = import.meta.glob<Record<string, unknown>>('../../shared/contract/*.ts', { eager: true })
const endpoints = Object.values(contract)
  .flatMap(Object.values)
  .filter((value: Partial<Endpoint> | undefined): value is Endpoint => value?.access !== undefined && value.path !== undefined)
/** Files, and what the verifier of the register reads by itself. */
const isNoQuery = (path: string) => path.startsWith('/api/history/') || path.startsWith('/api/register/')
const personal = endpoints.flatMap(({ method, access, path }) =>
  method === 'GET' && access === 'user' && !isNoQuery(path) ? [path] : [],
)

test('no answer to a user is left after a logout', () => {
  expect(personal.length).toBeGreaterThan(10)
  const queryClient = new QueryClient()
  for (const path of personal) queryClient.setQueryData([path], 'personal')

  clearUserData(queryClient)

  expect(personal.filter((path) => queryClient.getQueryData([path]) === 'personal')).toEqual([])
})

test('an account that is still being read does not come back', async () => {
  const queryClient = new QueryClient()
  const answer = Promise.withResolvers<string>()
  const reading = queryClient.fetchQuery({ queryKey: authUserQuery.queryKey, queryFn: () => answer.promise as never })

  clearUserData(queryClient)
  answer.resolve('mina')

  await reading
  expect(queryClient.getQueryData(authUserQuery.queryKey)).toBeNull()
})

test('the quantity that a user chose is not suggested to the next one', () => {
  chooseQuantity('10', { isVisitor: false })

  clearUserData(new QueryClient())

  restoreQuantity()
  expect(useChosenQuantity.getState().typed).toBeNull()
})
