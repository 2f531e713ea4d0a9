import { screen, waitFor } from '@testing-library/react'
import { useLocation } from 'react-router-dom'
import { expect, test } from 'vitest'
import type { Output } from '#shared/contract/endpoint.ts'
import { freezeAccount, freezeByLink, readFreezeLink, thawAccount } from '#shared/contract/freezes.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { DAY } from '#shared/dates.ts'
import { useConnection } from '#pwa/lib/connection.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { FreezeCard } from './FreezeCard.tsx'
import { FreezePage } from './FreezePage.tsx'
import { FrozenNotice } from './FrozenNotice.tsx'

const api = useFakeApi()
const LINK = '/freeze#token=of-a-mail'

function Place() {
  const { pathname, search, hash } = useLocation()
  return <output aria-label="Address">{pathname + search + hash}</output>
}
function open(at = LINK, link: () => Output<typeof readFreezeLink> = () => ({ frozen: null })) {
  api.answer(readFreezeLink, link)
  return renderPage(
    <>
      <FreezePage />
      <Place />
    </>,
    { at },
  )
}
const asks = () => screen.queryByText(/^Has somebody else used your account\?/) !== null
const press = () => screen.findByRole('button', { name: 'Freeze my account' })

test('the page of a link freezes nothing by itself, hides the token, and freezes at the press', async () => {
  answerCommonCalls(api)
  const posted: string[] = []
  api.answer(freezeByLink, ({ body }) => {
    posted.push(body.token)
    return { message: 'Frozen.', withdrawalsOnTheirWay: 1 }
  })
  const { person } = open()
  const button = await press()
  expect(asks()).toBe(true)
  await waitFor(() => expect(screen.getByLabelText('Address')).toHaveTextContent(/^\/freeze$/))
  expect(posted).toEqual([])

  await person.click(button)
  expect(await screen.findByRole('heading', { name: 'Your account is frozen', level: 1 })).toContainElement(
    document.activeElement as HTMLElement,
  )
  expect(asks()).toBe(false)
  expect(posted).toEqual(['of-a-mail'])
  expect(screen.getByText('One withdrawal was signed already and will be paid. It can no longer be stopped.')).toBeVisible()
})

test('a page that is loaded again after the freeze says that the account is frozen', async () => {
  answerCommonCalls(api)
  open(LINK, () => ({ frozen: { message: 'Frozen.', withdrawalsOnTheirWay: 2 } }))
  expect(await screen.findByRole('heading', { name: 'Your account is frozen', level: 1 })).toBeVisible()
  expect(asks()).toBe(false)
  expect(screen.getAllByText(/frozen/)).toHaveLength(1)
  expect(screen.getByText(/^2 withdrawals were signed already/)).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Freeze my account' })).not.toBeInTheDocument()
})

test('a link that no longer works says so before it is pressed', async () => {
  answerCommonCalls(api)
  open(LINK, () => {
    throw refusal(410, 'freeze_link_used', 'No.')
  })
  expect(await screen.findByText('This link was used before')).toBeVisible()
})

test.for([
  [503, 'busy'],
  [429, 'rate_limited'],
] as const)('a link that cannot be looked up for %s %s can be pressed all the same', async ([status, code]) => {
  answerCommonCalls(api)
  open(LINK, () => {
    throw refusal(status, code, 'No.')
  })
  expect(await press()).toBeEnabled()
  expect(screen.queryByText('Your account is not frozen yet')).not.toBeInTheDocument()
})

test('the session of the frozen account is over on this page as well', async () => {
  answerCommonCalls(api, { user: someUser() })
  api.answer(freezeByLink, () => {
    api.answer(getAuthUser, () => {
      throw unauthorized()
    })
    return { message: 'Frozen.', withdrawalsOnTheirWay: 0 }
  })
  const { person, queryClient } = open()
  await person.click(await press())
  await screen.findByRole('heading', { name: 'Your account is frozen' })
  expect(queryClient.getQueryData([getAuthUser.path])).toBeNull()
})

test.for([
  ['freeze_link_used', 'This link was used before'],
  ['freeze_link_expired', 'This link has expired'],
  ['freeze_link_unknown', 'This link is not complete or not ours'],
] as const)('%s: the page says so and what to do instead', async ([code, title]) => {
  answerCommonCalls(api)
  api.answer(freezeByLink, () => {
    throw refusal(410, code, 'No.')
  })
  const { person } = open()
  await person.click(await press())
  expect(await screen.findByText(title)).toBeVisible()
  expect(screen.getByText('Log in, and freeze the account in Security Settings.')).toBeVisible()
  expect(asks()).toBe(false)
  expect(screen.queryByRole('button', { name: 'Freeze my account' })).not.toBeInTheDocument()
})

test('after a lost answer the page says what the link has done', async () => {
  answerCommonCalls(api)
  let frozen: Output<typeof readFreezeLink>['frozen'] = null
  api.answer(freezeByLink, () => {
    throw new TypeError('Failed to fetch')
  })
  const { person } = open(LINK, () => ({ frozen }))
  const button = await press()
  frozen = { message: 'Frozen.', withdrawalsOnTheirWay: 0 }
  await person.click(button)
  expect(await screen.findByRole('heading', { name: 'Your account is frozen' })).toBeVisible()
})

test('after a refusal the button can be pressed again, and without a network it is disabled', async () => {
  answerCommonCalls(api)
  api.answer(freezeByLink, () => {
    throw refusal(503, 'busy', 'Nothing was lost.')
  })
  const { person } = open()
  await person.click(await press())
  expect(await screen.findByText('Your account is not frozen yet')).toBeVisible()
  expect(await press()).toBeEnabled()
  useConnection.setState({ isOffline: true })
  expect(await screen.findByRole('button', { name: /Freeze my account.*No connection/ })).toBeDisabled()
  useConnection.setState({ isOffline: false })
})

test('without a link the page says where to find one', async () => {
  answerCommonCalls(api)
  open('/freeze')
  expect(await screen.findByText('Open the link in the mail again')).toBeVisible()
  expect(asks()).toBe(false)
})

test('a logged-in owner freezes with the password and is logged out', async () => {
  answerCommonCalls(api, { user: someUser() })
  const given: string[] = []
  api.answer(freezeAccount, ({ body }) => {
    given.push(body.password)
    return { message: 'Frozen.', withdrawalsOnTheirWay: 0 }
  })
  const { person, location, queryClient } = renderPage(<FreezeCard />)
  await person.click(await screen.findByRole('button', { name: 'Freeze account' }))
  await person.type(await screen.findByLabelText('Password'), 'Passw0rd!')
  await person.click(screen.getByRole('button', { name: 'Freeze my account' }))
  await waitFor(() => expect(location()).toBe('/freeze'))
  expect(given).toEqual(['Passw0rd!'])
  expect(queryClient.getQueryData([getAuthUser.path])).toBeNull()
})

test('a frozen owner starts the thaw with password and code, and sees when it takes effect', async () => {
  const state: { thawsAt: Date | null } = { thawsAt: null }
  answerCommonCalls(api, { user: someUser() })
  api.answer(getAuthUser, () => someUser({ frozen: state }))
  api.answer(otpStatus, () => ({ otpEnabled: true, recoveryCodesLeft: 10 }))
  api.answer(thawAccount, ({ body }) => {
    if (body.token !== '123456') throw refusal(400, 'otp_invalid', 'Wrong.')
    state.thawsAt = new Date(Date.now() + DAY)
    return { thawsAt: state.thawsAt }
  })
  const { person } = renderPage(<FrozenNotice />)
  await person.click(await screen.findByRole('button', { name: 'Thaw account' }))
  await person.type(await screen.findByLabelText('Password'), 'Passw0rd!')
  await person.type(screen.getByLabelText('Authenticator code'), '123456')
  await person.click(screen.getByRole('button', { name: 'Start the thaw' }))
  expect(await screen.findByText(/^It is thawed on .* UTC\./)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Keep it frozen' })).toBeVisible()
})

test.for([
  ['invalid_credentials', 'Password', ['Wr0ng!', '123456']],
  ['otp_invalid', 'Authenticator code', ['Wr0ng!', '']],
] as const)('a thaw refused with %s returns to the field %s', async ([code, field, left]) => {
  answerCommonCalls(api, { user: someUser({ frozen: { thawsAt: null } }) })
  api.answer(otpStatus, () => ({ otpEnabled: true, recoveryCodesLeft: 10 }))
  api.answer(thawAccount, () => {
    throw refusal(400, code, 'Wrong.')
  })
  const { person } = renderPage(<FrozenNotice />)
  await person.click(await screen.findByRole('button', { name: 'Thaw account' }))
  const fields = [await screen.findByLabelText('Password'), screen.getByLabelText('Authenticator code')] as const
  await person.type(fields[0], 'Wr0ng!')
  await person.type(fields[1], '123456')
  await person.click(screen.getByRole('button', { name: 'Start the thaw' }))
  expect(await screen.findByText('Thaw Not Started')).toBeVisible()
  expect(screen.getByLabelText(field)).toHaveFocus()
  expect(fields.map((one) => (one as HTMLInputElement).value)).toEqual(left)
})

test('the notice ends with the thaw, and an account without an authenticator is sent to support', async () => {
  answerCommonCalls(api, { user: someUser({ frozen: { thawsAt: new Date(Date.now() - 1_000_000) } }) })
  api.answer(otpStatus, () => ({ otpEnabled: false, recoveryCodesLeft: 0 }))
  const { queryClient } = renderPage(<FrozenNotice />)
  await waitFor(() => expect(queryClient.getQueryData([getAuthUser.path])).toBeTruthy())
  expect(screen.queryByText('Your account is frozen')).not.toBeInTheDocument()
  queryClient.setQueryData([getAuthUser.path], someUser({ frozen: { thawsAt: null } }))
  expect(await screen.findByText(/our support thaws it after a check/)).toBeVisible()
  expect(screen.queryByRole('button')).not.toBeInTheDocument()
})
