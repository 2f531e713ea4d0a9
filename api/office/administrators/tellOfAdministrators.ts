import type { EntityManager } from '@mikro-orm/postgresql'
import { listAdministrators } from '#shared/contract/admin/administrators.ts'
import { adminLoginStatus } from '#shared/contract/admin/login.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'

/**
 * Open pages of the back office read the list again, and who they are themselves: somebody whose role has changed must not be offered what
 * the server refuses.
 */
export const tellOfAdministrators = (em: EntityManager): Promise<void> =>
  recordChange(em, { keys: [adminLoginStatus.path, listAdministrators.path] })
