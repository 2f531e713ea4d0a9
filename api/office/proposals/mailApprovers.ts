import type { EntityManager } from '@mikro-orm/postgresql'
import { mayCall } from '#shared/adminRoles.ts'
import { titleNamesTarget, titleOfDecision } from '#shared/decisionTitles.ts'
import { query } from '#api/entities/tables.ts'
import { composeMail } from '#api/platform/mail/composeMail.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { queueMail } from '#api/platform/mail/queueMail.ts'
import { siteUrl } from '#api/platform/mail/siteUrl.ts'
import type { DecisionEndpoint } from './Decision.ts'

interface Proposing {
  endpoint: DecisionEndpoint
  action: string
  target: string | null
  after: unknown
  proposedBy: { id: string; name: string }
}

/** Mails those who may approve a proposal and have an address, in English and in the caller's transaction. */
export async function mailApprovers(
  em: EntityManager,
  { jobs, config }: MailServices,
  { endpoint, proposedBy, ...decided }: Proposing,
): Promise<void> {
  const others = await query(em)
    .selectFrom('administrators')
    .select(['email', 'role'])
    .where('removedAt', 'is', null)
    .where('id', '<>', proposedBy.id)
    .where('email', 'is not', null)
    .execute()
  const { target } = decided
  const concerned = target === null || titleNamesTarget(decided) ? [] : [['Concerns', target] as const]
  const brand = { brandName: config.BRAND_NAME, supportEmail: config.SUPPORT_EMAIL }
  for (const { email, role } of others) {
    if (!mayCall(role, { roles: endpoint.approvers })) continue
    const mail = composeMail(email!, {
      ...brand,
      language: 'en',
      subject: 'A proposal waits for your approval',
      paragraphs: [
        `${proposedBy.name} has proposed something in the back office of ${config.BRAND_NAME} that takes effect only if another administrator approves it within 24 hours.`,
        'If you did not expect it, ask before you approve it.',
      ],
      facts: [['What', titleOfDecision(decided)], ...concerned],
      action: {
        label: 'Look at the proposal',
        address: `${siteUrl(config)}/admin-panel?tab=proposals`,
        note: 'It is approved in the back office, with what your login asks for.',
      },
    })
    await queueMail(em, jobs, mail)
  }
}
