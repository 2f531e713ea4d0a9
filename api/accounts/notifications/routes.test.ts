import { expect, test } from 'vitest'
import * as contract from '#shared/contract/notifications.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'

const database = useDatabase()

test('the daily email is off by default and is enabled per account', async () => {
  const server = await startServer(database)
  const [{ browser }, other] = [await makeBuyer(server), await makeBuyer(server)]
  expect(await browser.call(contract.getNotifications, {})).toMatchObject({ rewardDigest: false })

  expect(await browser.call(contract.updateNotifications, { body: { rewardDigest: true } })).toMatchObject({ rewardDigest: true })
  expect(await browser.call(contract.getNotifications, {})).toMatchObject({ rewardDigest: true })
  expect(await other.browser.call(contract.getNotifications, {})).toMatchObject({ rewardDigest: false })

  await browser.call(contract.updateNotifications, { body: { rewardDigest: false } })
  expect(await browser.call(contract.getNotifications, {})).toMatchObject({ rewardDigest: false })
})

test('a change of one setting keeps the other, and a change of none is refused', async () => {
  const server = await startServer(database)
  const [{ browser }, other] = [await makeBuyer(server), await makeBuyer(server)]
  const update = (body: object) => browser.call(contract.updateNotifications, { body })
  expect(await browser.call(contract.getNotifications, {})).toEqual({ rewardDigest: false, language: 'en' })

  expect(await update({ language: 'ko' })).toEqual({ rewardDigest: false, language: 'ko' })
  expect(await update({ rewardDigest: true })).toEqual({ rewardDigest: true, language: 'ko' })
  expect(await update({ language: 'en' })).toEqual({ rewardDigest: true, language: 'en' })
  expect(await browser.call(contract.getNotifications, {})).toEqual({ rewardDigest: true, language: 'en' })
  expect(await other.browser.call(contract.getNotifications, {})).toEqual({ rewardDigest: false, language: 'en' })

  const send = (body: object) =>
    browser.fetch(server.url + contract.updateNotifications.path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const body of [{}, { language: 'fr' }, { language: 'ko', rewardDigest: 'yes' }, { rewardDigest: null }])
    expect((await send(body)).status).toBe(400)
  expect(await browser.call(contract.getNotifications, {})).toEqual({ rewardDigest: true, language: 'en' })
})

test('a visitor cannot change settings', async () => {
  const { openBrowser } = await startServer(database)
  const refused = { status: 401, code: 'unauthenticated' }
  await expect(openBrowser().call(contract.getNotifications, {})).rejects.toMatchObject(refused)
  await expect(openBrowser().call(contract.updateNotifications, { body: { rewardDigest: true } })).rejects.toMatchObject(refused)
})
