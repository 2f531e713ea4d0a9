import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/**
 * The day of the last change that an existing client can notice: a call, field or code that went, or means something else. Every answer
 * names it in `X-API-Version`. New calls, fields, codes and values of open lists leave it as it is.
 */
export const API_VERSION = '2026-11-24'

/** This API as an OpenAPI 3.1 document, made from the contract. */
export const getOpenApi = endpoint({
  method: 'GET',
  path: '/api/openapi.json',
  access: 'public',
  limit: 'none',
  response: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
})
