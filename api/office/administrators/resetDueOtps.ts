import { cancelOtpReset } from '#api/accounts/otp/planOtpReset.ts'
import { resetOtp } from '#api/accounts/otp/resetOtp.ts'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import { lockAdministrators, readOwners } from './lockAdministrators.ts'

/**
 * Removes the authenticators whose time has come, in real time. What one owner has planned takes effect only while that is the only owner:
 * otherwise the removal is dropped, because two persons decide about it now.
 */
export const resetDueOtps: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'reset-authenticators',
  everySeconds: 60,
  run: (services) =>
    services.orm.em.fork().transactional(async (em) => {
      await lockAdministrators(em)
      const now = await services.clock.dueNow(em)
      const due = await query(em)
        .selectFrom('users')
        .select(['id', 'email', 'language', 'otpResetBy'])
        .where('otpResetsAt', '<=', now)
        .orderBy('id')
        .forUpdate()
        .skipLocked()
        .execute()
      if (due.length === 0) return
      const [owner, ...otherOwners] = await readOwners(em)
      const onlyOwner = otherOwners.length === 0 ? `admin:${owner}` : undefined
      for (const { otpResetBy, ...user } of due) {
        if (otpResetBy !== null && otpResetBy === onlyOwner) {
          await resetOtp(em, services, { user, actor: otpResetBy, now })
          continue
        }
        await cancelOtpReset(em, { user, actor: 'system' })
        await mailOperator(em, services, {
          subject: 'A planned removal of an authenticator was dropped',
          paragraphs: [
            `The authenticator of ${user.email} was not removed: the administrator who planned it is no longer the only owner.`,
            'If its owner has lost it, remove it again on the page of the account. Two persons decide about it where there are two owners.',
          ],
          facts: [['Planned by', otpResetBy ?? '–']],
        })
      }
    }),
}
