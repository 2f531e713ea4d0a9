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
