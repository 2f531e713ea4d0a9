import { expect } from 'vitest'
import { Proposed } from '#shared/contract/client.ts'
import * as contract from '#shared/contract/admin/proposals.ts'
import { TEST_PASSWORD } from './factories.ts'
import type { TestBrowser } from './server.ts'

/** Makes a call that is only proposed, and returns the proposal. */
export async function proposalOf(browser: TestBrowser, call: Promise<unknown>): Promise<contract.Proposal> {
  const error: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(Proposed)
  const { proposals } = await browser.call(contract.listProposals, { query: { limit: 100, offset: 0 } })
  return proposals.find(({ id }) => id === (error as Proposed).proposal.id)!
}

/** Approves a proposal with the password, as an administrator whose login asks for nothing else. */
export const approve = (browser: TestBrowser, { id, hash }: Pick<contract.Proposal, 'id' | 'hash'>) =>
  browser.call(contract.approveProposal, { params: { id }, body: { hash, password: TEST_PASSWORD } })

/** What `one` proposes, `other` approves. */
export async function inTwo(one: TestBrowser, other: TestBrowser, call: Promise<unknown>) {
  return approve(other, await proposalOf(one, call))
}
