import { combine } from './combine.ts'
import { admin } from './admin.ts'
import { adminActions } from './adminActions.ts'
import { adminChanges } from './adminChanges.ts'
import { adminFields } from './adminFields.ts'
import { adminPerson } from './adminPerson.ts'
import { adminProposals } from './adminProposals.ts'
import { adminServer } from './adminServer.ts'

/** The texts of the back office only. */
export const { texts, repeated } = combine(admin, adminActions, adminChanges, adminFields, adminPerson, adminProposals)
export const serverTexts = adminServer
