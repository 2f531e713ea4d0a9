import { combine } from './combine.ts'
import { admin } from './admin.ts'
import { adminServer } from './adminServer.ts'

/** What only the back office reads. */
export const { texts, repeated } = combine(admin)
export const serverTexts = adminServer
