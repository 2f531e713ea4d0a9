import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { type OtpAccount, otpTables } from './consumeCode.ts'

/** Removes the authenticator and its lock from an account, and its planned removal. The last used time step does not apply to a later secret. */
export async function clearOtp(em: EntityManager, { realm, id }: OtpAccount): Promise<void> {
  const unlocked = { otpFailures: 0, otpLocks: 0, otpLockedUntil: null }
  await query(em)
    .updateTable(otpTables[realm])
    .set({ otpSecret: null, otpEnabledAt: null, otpLastStep: null, ...unlocked })
    .where('id', '=', id)
    .execute()
  if (realm === 'user')
    await query(em).updateTable('users').set({ otpResetsAt: null, otpResetBy: null }).where('id', '=', id).execute()
  await query(em)
    .updateTable('known_devices')
    .set(unlocked)
    .where((eb) => eb.or([eb('user', '=', id), eb('administrator', '=', id)]))
    .execute()
  await query(em).deleteFrom('otp_setups').where('accountId', '=', id).execute()
}
