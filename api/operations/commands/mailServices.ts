import type { Environment } from '#api/platform/config.ts'
import { variables } from '#api/platform/variables.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { dueNow, dueTime } from '#api/platform/clock/dueNow.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'

/** Runs work that changes accounts and mails their owners, with what a mail needs of the environment. */
export async function withMails<T>(
  { env, url }: { env: Environment; url: string },
  work: (services: MailServices & { clock: Pick<Clock, 'dueNow' | 'dueTime'> }) => Promise<T>,
): Promise<T> {
  const jobs = new JobQueue(env.DATABASE_DIRECT_URL?.trim() || url, { onError: console.error })
  const valueOf = (name: 'BRAND_NAME' | 'SUPPORT_EMAIL') => env[name]?.trim() || variables[name].fallback
  const config = {
    BRAND_NAME: valueOf('BRAND_NAME'),
    SUPPORT_EMAIL: valueOf('SUPPORT_EMAIL'),
    PUBLIC_URL: variables.PUBLIC_URL.schema.safeParse(env.PUBLIC_URL?.trim()).data,
    PORT: Number(env.PORT?.trim() || variables.PORT.fallback),
  }
  try {
    return await work({ jobs, config, clock: { dueNow, dueTime } })
  } finally {
    await jobs.stop()
  }
}
