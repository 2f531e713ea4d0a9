import type { EntityManager } from '@mikro-orm/postgresql'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { ensureProofKeys, type ProofServices } from './ensureProofKeys.ts'
import { receiptWait } from './receiptMail.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'

/** Gives a new account its proof key, and mails the receipt for it. */
export async function openProofKey(em: EntityManager, services: ProofServices, user: Owner): Promise<void> {
  const mailId = await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/register',
    subject: 'Your account is open',
    paragraphs: [
      'Your account is open. What you buy, earn and withdraw is recorded in our public register, where you can verify it.',
    ],
    wait: receiptWait(services.config),
  })
  await ensureProofKeys(em, services, [user.id], { mailId })
}
