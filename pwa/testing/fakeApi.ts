import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { z } from 'zod'
import { ApiError } from '#shared/contract/client.ts'
import type { Endpoint, Input, Output } from '#shared/contract/endpoint.ts'
import type { ErrorCode } from '#shared/errors.ts'

export interface FakeApi {
  /** Answers this endpoint with `handle`, which throws a `refusal` to refuse. */
  answer: <E extends Endpoint>(endpoint: E, handle: (input: Input<E>, request: Request) => Output<E> | Promise<Output<E>>) => void
}

/** Replaces the API in a component's test. Responses are typed by the contract, so that a fake cannot drift from it. */
export function useFakeApi(): FakeApi {
  const server = setupServer()
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())

  return {
    answer(endpoint, handle) {
      const method = endpoint.method.toLowerCase() as Lowercase<Endpoint['method']>
      server.use(
        http[method](`*${endpoint.path}`, async ({ request, params }) => {
          try {
            const input = {
              ...(endpoint.params && { params: z.decode(endpoint.params, params as never) }),
              ...(endpoint.query && {
                query: z.decode(endpoint.query, Object.fromEntries(new URL(request.url).searchParams) as never),
              }),
              ...(endpoint.body && { body: z.decode(endpoint.body, (await request.clone().json()) as never) }),
            }
            const answer = await handle(input as never, request)
            return HttpResponse.json(z.encode(endpoint.response, answer) as never, { status: endpoint.status ?? 200 })
          } catch (error) {
            if (!(error instanceof ApiError)) throw error
            return HttpResponse.json(JSON.parse(error.message.slice('400: '.length)), { status: error.status })
          }
        }),
      )
    },
  }
}

/** A refusal in the shape of the API's, for fakes to throw. */
export const refusal = (status: number, code: ErrorCode, message: string, details: Record<string, string> = {}): ApiError =>
  new ApiError(status, JSON.stringify({ message, code, details }))

/** The refusal of a decision that must name these objections to override them. */
export const objecting = (...objections: ApiError['objections']): ApiError =>
  new ApiError(409, JSON.stringify({ message: 'Reload the page.', code: 'objections_hold', objections }))

export const unauthorized = (): ApiError => refusal(401, 'unauthenticated', 'Unauthorized')

/** The answer of a proxy or of a hotel's login page, which is none of the API's. */
export const proxyAnswer = (status: number): ApiError => new ApiError(status, '{}')
