import { expect, test } from 'vitest'
import * as contract from '#shared/contract/notifications.ts'
import { useDatabase } from '../testing/database.ts'
import { makeBuyer } from '../testing/people.ts'
import { startServer } from '../testing/server.ts'

const database = useDatabase()

test('the daily mail is off until its reader turns it on, for that one account', async () => {
  const server = await startServer(database)
  const [{ browser }, other] = [await makeBuyer(server), await makeBuyer(server)]
  expect(await browser.call(contract.getNotifications, {})).toEqual({ rewardDigest: false })

  expect(await browser.call(contract.updateNotifications, { body: { rewardDigest: true } })).toEqual({ rewardDigest: true })
  expect(await browser.call(contract.getNotifications, {})).toEqual({ rewardDigest: true })
  expect(await other.browser.call(contract.getNotifications, {})).toEqual({ rewardDigest: false })

  await browser.call(contract.updateNotifications, { body: { rewardDigest: false } })
  expect(await browser.call(contract.getNotifications, {})).toEqual({ rewardDigest: false })
})

test('a visitor has nothing to choose', async () => {
  const { openBrowser } = await startServer(database)
  const refused = { status: 401, code: 'unauthenticated' }
  await expect(openBrowser().call(contract.getNotifications, {})).rejects.toMatchObject(refused)
  await expect(openBrowser().call(contract.updateNotifications, { body: { rewardDigest: true } })).rejects.toMatchObject(refused)
})
