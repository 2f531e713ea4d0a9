import { screen, waitFor } from '@testing-library/react'
import type { ReactElement } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import { MAX_BONUS_ALONE } from '#shared/sale.ts'
import { answerBackOffice, someAdminWithdrawal, somePerson } from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { answerBonus, someBonusRow, someReviewDeposit, someReviewPurchase } from '#pwa/testing/purchaseAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { DueBonusDialog } from '../bonus/DueBonusDialog.tsx'
import { GrantBonusDialog } from '../person/GrantBonusDialog.tsx'
import { AssignDepositDialog } from '../purchases/AssignDepositDialog.tsx'
import { ConfirmPurchaseDialog } from '../purchases/ConfirmPurchaseDialog.tsx'
import { DecidePurchaseDialog } from '../purchases/DecidePurchaseDialog.tsx'
import { DecisionDialog } from '../withdrawals/DecisionDialog.tsx'

const api = useFakeApi()
const onClose = vi.fn()
const words = {
  yes: /You only propose this\. It takes effect when another administrator approves it within 24 hours\.$/,
  maybe: /It may need a second person\./,
  no: /^(?!.*(You only propose|second person))/,
}

beforeEach(() => {
  answerCommonCalls(api)
  answerBackOffice(api, { owners: 2 })
})

const withdrawal = (reviewReason: 'above_limit' | 'recent_change') =>
  someAdminWithdrawal({ status: 'manual_review', reviewReason })
const purchase = (received: string, purchaseResult: 'late_payment' | 'wallet_mismatch' = 'late_payment') =>
  someReviewPurchase({
    purchaseResult,
    purchaseAmountUsdt: amountOf('30'),
    payment: { received: amountOf(received), missing: 0n, confirmations: 15, confirmationsRequired: 15 } as never,
  })
const person = (bonusPending: number) => somePerson({ nodes: { ...somePerson().nodes, bonusPending } })

test.each<[what: string, need: keyof typeof words, dialog: () => ReactElement]>([
  [
    'the approval of a withdrawal above the limit',
    'yes',
    () => <DecisionDialog decision="approve" withdrawal={withdrawal('above_limit')} onClose={onClose} />,
  ],
  [
    'that of another one, which may exceed it together with others',
    'maybe',
    () => <DecisionDialog decision="approve" withdrawal={withdrawal('recent_change')} onClose={onClose} />,
  ],
  [
    'a withdrawal above the limit that was paid from elsewhere',
    'yes',
    () => <DecisionDialog decision="markPaid" withdrawal={withdrawal('above_limit')} onClose={onClose} />,
  ],
  ['a rejection', 'no', () => <DecisionDialog decision="reject" withdrawal={withdrawal('above_limit')} onClose={onClose} />],
  [
    'a purchase that is not paid in full',
    'yes',
    () => <DecidePurchaseDialog verdict="approve" purchase={purchase('29')} onClose={onClose} />,
  ],
  [
    'one that another wallet paid',
    'yes',
    () => <DecidePurchaseDialog verdict="approve" purchase={purchase('30', 'wallet_mismatch')} onClose={onClose} />,
  ],
  [
    'one that is paid in full',
    'maybe',
    () => <DecidePurchaseDialog verdict="approve" purchase={purchase('30')} onClose={onClose} />,
  ],
  [
    'the rejection of a purchase',
    'no',
    () => <DecidePurchaseDialog verdict="reject" purchase={purchase('29')} onClose={onClose} />,
  ],
  [
    'a purchase that is confirmed by its transaction',
    'maybe',
    () => <ConfirmPurchaseDialog purchase={purchase('0')} onClose={onClose} />,
  ],
  ['more bonus nodes than are due', 'yes', () => <GrantBonusDialog person={person(0)} onClose={onClose} />],
  ['those that are due', 'no', () => <GrantBonusDialog person={person(2)} onClose={onClose} />],
])('before %s, the dialog says whether a second person is needed: %s', async (_what, need, dialog) => {
  renderPage(dialog())
  const shown = await screen.findByRole('dialog')
  await waitFor(() => expect(shown).toHaveAccessibleDescription(words[need]))
})

test('all due bonuses need a second person beyond what one may grant', async () => {
  answerBonus(api, [someBonusRow({ bonusPending: MAX_BONUS_ALONE + 1 })])
  renderPage(<DueBonusDialog onClose={onClose} />)
  const shown = await screen.findByRole('dialog')
  await waitFor(() => expect(shown).toHaveAccessibleDescription(words.yes))
})

test.each<[what: string, facts: Partial<ReviewDeposit>, quantity: string, need: keyof typeof words]>([
  ['of nobody', {}, '10', 'maybe'],
  ['of the account itself', { probableUserEmail: 'mara@example.com' }, '10', 'no'],
  ['of another account', { probableUserEmail: 'sora@example.com' }, '10', 'yes'],
  [
    'that another account has reported',
    { probableUserEmail: 'mara@example.com', reporters: [{ userId: crypto.randomUUID(), email: 'sora@example.com' }] },
    '10',
    'yes',
  ],
  ['for more nodes than it pays for', { probableUserEmail: 'mara@example.com' }, '11', 'yes'],
])('before a payment %s is assigned, the question says so', async (_what, facts, quantity, need) => {
  const deposit = someReviewDeposit({ probableUserEmail: null, affordableNodes: 10, ...facts })
  const { person } = renderPage(<AssignDepositDialog deposit={deposit} purchase={undefined} onClose={onClose} />)
  const type = async (label: string, text: string) => {
    await person.clear(screen.getByLabelText(label))
    await person.type(screen.getByLabelText(label), text)
  }
  await type('Email of the account', 'mara@example.com')
  await type('Quantity', quantity)
  await type('Note', 'Exchange')
  await person.click(screen.getByRole('button', { name: 'Assign' }))
  const question = await screen.findByRole('dialog', { name: /\?$/ })
  await waitFor(() => expect(question).toHaveAccessibleDescription(words[need]))
})
