import { combine } from './combine.ts'
import { admin } from './admin.ts'
import { adminPerson } from './adminPerson.ts'
import { adminProposals } from './adminProposals.ts'
import { adminServer } from './adminServer.ts'

/** The texts of the back office only. */
export const { texts, repeated } = combine(admin, adminPerson, adminProposals)
export const serverTexts = adminServer
