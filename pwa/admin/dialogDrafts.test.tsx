import { cleanup, screen, waitFor } from '@testing-library/react'
import type { ReactElement } from 'react'
import { expect, test, vi } from 'vitest'
import { answerBackOffice, someAdministrator, someAdminUser, someAdminWithdrawal, somePerson } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls, somePurchase } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { someReviewDeposit, someReviewPurchase } from '#pwa/testing/purchaseAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { ChangeDialog } from './ChangeDialog.tsx'
import { GrantBonusDialog } from './person/GrantBonusDialog.tsx'
import { RemovalDialog } from './person/AuthenticatorRemoval.tsx'
import { AssignDepositDialog } from './purchases/AssignDepositDialog.tsx'
import { CancelPurchaseDialog } from './purchases/CancelPurchaseDialog.tsx'
import { CloseDepositDialog } from './purchases/CloseDepositDialog.tsx'
import { ConfirmPurchaseDialog } from './purchases/ConfirmPurchaseDialog.tsx'
import { DecidePurchaseDialog } from './purchases/DecidePurchaseDialog.tsx'
import { RefundDepositDialog } from './purchases/RefundDepositDialog.tsx'
import { adminStatusQuery } from './queries.ts'
import { InviteDialog, RemoveDialog } from './settings/AdministratorsCard.tsx'
import { forgetDrafts, hideDrafts, ownDrafts } from './useDraft.ts'
import { FreezeUser } from './users/FreezeUser.tsx'
import { ThawUser } from './users/ThawUser.tsx'
import { DecisionDialog } from './withdrawals/DecisionDialog.tsx'

const api = useFakeApi()
const onClose = vi.fn()
const deposit = someReviewDeposit()
const user = someAdminUser()

async function open(dialog: ReactElement, label: string | RegExp = /^(Reason|Notes?\b)/) {
  answerCommonCalls(api)
  answerBackOffice(api)
  const page = renderPage(dialog)
  await page.queryClient.fetchQuery(adminStatusQuery)
  const field = await screen.findByLabelText<HTMLInputElement>(label)
  return { ...page, field }
}

/** The session ends, the login replaces the page, and the same administrator logs in. */
function logInAgain({ queryClient }: Awaited<ReturnType<typeof open>>) {
  queryClient.setQueryData(adminStatusQuery.queryKey, { isLoggedIn: false, loginTime: null, username: null, role: null })
  cleanup()
  hideDrafts()
  ownDrafts('keeper')
}

test.each([
  ['freezing an account', () => <FreezeUser user={user} onClose={onClose} />, () => <ThawUser user={user} onClose={onClose} />],
  [
    'a deposit',
    () => <CloseDepositDialog about="ignore" deposit={deposit} onClose={onClose} />,
    () => <CloseDepositDialog about="ignore" deposit={someReviewDeposit({ id: 'another' })} onClose={onClose} />,
  ],
  [
    'cancelling a purchase',
    () => <CancelPurchaseDialog purchase={somePurchase()} onClose={onClose} />,
    () => <CancelPurchaseDialog purchase={somePurchase({ id: 'another' })} onClose={onClose} />,
  ],
  [
    'rejecting a purchase',
    () => <DecidePurchaseDialog verdict="reject" purchase={someReviewPurchase()} onClose={onClose} />,
    () => <DecidePurchaseDialog verdict="approve" purchase={someReviewPurchase()} onClose={onClose} />,
  ],
  [
    'a refund',
    () => <RefundDepositDialog deposit={deposit} onClose={onClose} />,
    () => <AssignDepositDialog deposit={deposit} purchase={undefined} onClose={onClose} />,
  ],
  [
    'an assignment',
    () => <AssignDepositDialog deposit={deposit} purchase={undefined} onClose={onClose} />,
    () => <RefundDepositDialog deposit={deposit} onClose={onClose} />,
  ],
  [
    'rejecting a withdrawal',
    () => <DecisionDialog decision="reject" withdrawal={someAdminWithdrawal()} onClose={onClose} />,
    () => <DecisionDialog decision="approve" withdrawal={someAdminWithdrawal()} onClose={onClose} />,
  ],
  [
    'a bonus',
    () => <GrantBonusDialog person={somePerson()} onClose={onClose} />,
    () => <GrantBonusDialog person={somePerson({ id: 'another' })} onClose={onClose} />,
  ],
  [
    'removing an administrator',
    () => <RemoveDialog administrator={someAdministrator()} onClose={onClose} />,
    () => <RemoveDialog administrator={someAdministrator({ id: 'another' })} onClose={onClose} />,
  ],
  [
    'removing an authenticator',
    () => <RemovalDialog id={user.id} email={user.email} isPlanned onClose={onClose} />,
    () => <RemovalDialog id="another" email={user.email} isPlanned onClose={onClose} />,
  ],
  ['a setting', () => change('Change the fee?'), () => change('Change the price?')],
])(
  'what was typed about %s outlives the login after the session has ended, in its own dialog alone',
  async (_, dialog, other) => {
    ownDrafts('keeper')
    const before = await open(dialog())
    await before.person.type(before.field, 'He called on Monday.')
    logInAgain(before)

    expect((await open(other())).field).toHaveValue('')
    cleanup()
    const after = await open(dialog())
    expect(after.field).toHaveValue('He called on Monday.')
    const { texts } = JSON.parse(sessionStorage.getItem('admin_drafts')!) as { texts: object }
    expect(Object.keys(texts), 'none of a dialog in which nothing was typed').toHaveLength(1)
    cleanup()
    await waitFor(() => expect(sessionStorage.getItem('admin_drafts')).not.toContain('Monday'))
    expect((await open(dialog())).field, 'a closed dialog keeps nothing').toHaveValue('')
    forgetDrafts()
  },
)

test.each([
  ['the hash of a refund', /^Transaction hash/, () => <RefundDepositDialog deposit={deposit} onClose={onClose} />],
  ['the hash of a purchase', /^Transaction hash/, () => <ConfirmPurchaseDialog purchase={somePurchase()} onClose={onClose} />],
  [
    'the hash of a withdrawal',
    /^Transaction hash/,
    () => <DecisionDialog decision="markPaid" withdrawal={someAdminWithdrawal()} onClose={onClose} />,
  ],
  [
    'the quantity of an assignment',
    'Quantity',
    () => <AssignDepositDialog deposit={deposit} purchase={undefined} onClose={onClose} />,
  ],
  [
    'the email of an assignment',
    'Email of the account',
    () => <AssignDepositDialog deposit={deposit} purchase={undefined} onClose={onClose} />,
  ],
  ['the quantity of a bonus', 'Quantity', () => <GrantBonusDialog person={somePerson()} onClose={onClose} />],
  ['the email of an invitation', 'Email', () => <InviteDialog onClose={onClose} />],
])('%s outlives the login after the session has ended, but not its dialog', async (_, label, dialog) => {
  ownDrafts('keeper')
  const before = await open(dialog(), label)
  const preset = before.field.value
  await before.person.clear(before.field)
  await before.person.type(before.field, '17')
  logInAgain(before)

  expect((await open(dialog(), label)).field).toHaveDisplayValue('17')
  cleanup()
  await waitFor(() => expect(sessionStorage.getItem('admin_drafts')).not.toContain('17'))
  expect((await open(dialog(), label)).field).toHaveDisplayValue(preset)
  forgetDrafts()
})

function change(title: string) {
  return (
    <ChangeDialog
      title={title}
      before="1"
      after="2"
      consequence="Everybody pays it."
      confirmLabel="Change"
      needsReason
      onConfirm={() => {}}
      onClose={onClose}
    />
  )
}
