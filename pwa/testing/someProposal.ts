import type { Proposal } from '#shared/contract/admin/proposals.ts'

export const someProposal = (changes: Partial<Proposal> = {}): Proposal => ({
  id: crypto.randomUUID(),
  action: 'settings.change',
  target: 'node_price_usdt',
  before: { value: '3' },
  after: { value: '4' },
  reason: null,
  proposedBy: 'mina',
  proposedAt: new Date('2026-11-25T09:00:00Z'),
  expiresAt: new Date('2026-11-26T09:00:00Z'),
  state: 'open',
  decidedBy: null,
  decidedAt: null,
  outcome: null,
  hash: 'f'.repeat(64),
  isMine: false,
  mayDecide: true,
  ...changes,
})
