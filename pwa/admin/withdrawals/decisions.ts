export const decisions = ['approve', 'reject', 'markPaid'] as const
export type Decision = (typeof decisions)[number]

export const decisionLabels: Record<Decision, string> = { approve: 'Approve', reject: 'Reject', markPaid: 'Mark paid' }
