import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

export async function readOtpStatus(
  em: EntityManager,
  userId: string,
): Promise<{ otpEnabled: boolean; recoveryCodesLeft: number; resetsAt?: Date }> {
  const account = await query(em)
    .selectFrom('users as u')
    .select((eb) => [
      'u.otpSecret',
      'u.otpResetsAt',
      eb
        .selectFrom('recovery_codes as c')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('c.user', '=', 'u.id')
        .where('c.usedAt', 'is', null)
        .as('codesLeft'),
    ])
    .where('u.id', '=', userId)
    .executeTakeFirst()
  const otpEnabled = account?.otpSecret != null
  return {
    otpEnabled,
    recoveryCodesLeft: (otpEnabled && account.codesLeft) || 0,
    ...(account?.otpResetsAt && { resetsAt: account.otpResetsAt }),
  }
}
