import { type Message, msg } from '#pwa/i18n/t.ts'

export const decisions = ['approve', 'reject', 'markPaid'] as const
export type Decision = (typeof decisions)[number]

export const decisionLabels: Record<Decision, Message> = {
  approve: msg('Approve'),
  reject: msg('Reject'),
  markPaid: msg('Mark paid'),
}

/** Names the user too, for screen readers. */
export const decisionNames: Record<Decision, Message<'email'>> = {
  approve: msg('Approve the withdrawal of {email}'),
  reject: msg('Reject the withdrawal of {email}'),
  markPaid: msg('Mark paid: withdrawal of {email}'),
}
