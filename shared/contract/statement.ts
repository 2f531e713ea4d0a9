import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** Everything that ever moved the caller's nodes and XCR, as a spreadsheet. Returns a file rather than JSON. */
export const downloadStatement = endpoint({
  method: 'GET',
  path: '/api/history/statement',
  access: 'user',
  limit: 'export',
  response: z.never(),
})

export const taxFormats = ['generic', 'koinly'] as const
export type TaxFormat = (typeof taxFormats)[number]

/**
 * The caller's final movements of USDT and XCR for tax tools, as CSV, newest first. The value at receipt stays empty, because XCR has no
 * price with a source.
 */
export const downloadTaxReport = endpoint({
  method: 'GET',
  path: '/api/history/tax',
  access: 'user',
  limit: 'export',
  query: z.object({ format: z.enum(taxFormats).default('generic') }),
  response: z.never(),
})
