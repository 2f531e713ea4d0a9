import { expect, onTestFinished, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { changeAdministrator, listAdministrators } from '#shared/contract/admin/administrators.ts'
import * as incidents from '#shared/contract/admin/incidents.ts'
import { clearIpAccess, getIpAccess, setIpAccess } from '#shared/contract/admin/login.ts'
import * as office from '#shared/contract/admin/office.ts'
import { DAY } from '#shared/dates.ts'
import { readSettings } from '#api/sale/settings/readSettings.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { createDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { approve, inTwo, proposalOf } from '#api/testing/proposals.ts'
import { startServer } from '#api/testing/server.ts'

/** An owner with one colleague, whose window shows what was stored when it was opened. */
async function open(role: 'owner' | 'viewer' = 'viewer') {
  const database = await createDatabase()
  onTestFinished(() => database.release())
  const server = await startServer(database)
  const { browser, ...owner } = await openAdministrator(server)
  const colleague = await openAdministrator(server, { role })
  return { server, owner, colleague, call: browser.call, browser }
}

const changed = { status: 409, code: 'value_changed' }

test('a setting saved from a window that shows an earlier value is refused with the present one', async () => {
  const { server, call } = await open()
  const save = (value: string, replaces?: string) =>
    call(office.changeSystemSetting, { body: { key: 'node_price_usdt', value, replaces } })
  await save('4', '3')
  await expect(save('5', '3')).rejects.toMatchObject({ ...changed, details: { value: '4' } })
  // Both want the same, or the window writes the value in another form.
  await save('4', '3')
  await save('5', '4.0')
  // A page of an earlier release.
  await save('6')
  const fee = (value: string, replaces: string) =>
    call(office.changeSystemSetting, { body: { key: 'fee_recipient_address', value, replaces } })
  const [first, second] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]
  await fee(first, '')
  await expect(fee(second, '')).rejects.toMatchObject(changed)
  const rate = { key: 'xcr_per_node_daily', value: '12' } as const
  await expect(call(office.changeSystemSetting, { body: { ...rate, replaces: '9' } })).rejects.toMatchObject(changed)
  await call(office.changeSystemSetting, { body: { ...rate, replaces: '10' } })
  expect(await readSettings(server.services.orm.em.fork())).toMatchObject({ node_price_usdt: '6', fee_recipient_address: first })
  expect((await call(office.listRewardRates, {}))[0]).toMatchObject({ rate: parseAmount('12') })
})

test('so are a planned rate, a cap, a role, the IP list and an incident', async () => {
  const { server, call, colleague } = await open()
  const effectiveFrom = new Date(server.clock.productNow().getTime() + DAY)
  const schedule = (rate: string, replaces: string) =>
    call(office.scheduleRewardRate, { body: { rate: parseAmount(rate)!, effectiveFrom, replaces: parseAmount(replaces)! } })
  await schedule('11', '10')
  await expect(schedule('12', '10')).rejects.toMatchObject(changed)
  await schedule('12', '11')
  // Sent again, because its answer was lost.
  await schedule('12', '11')

  const cap = (cap: bigint | null, replaces: bigint | null) =>
    call(office.changePayoutCap, { body: { period: 'day', cap, replaces } })
  await cap(5n, null)
  await expect(cap(9n, null)).rejects.toMatchObject(changed)
  await expect(cap(null, 9n)).rejects.toMatchObject(changed)
  await cap(null, 5n)

  const role = (role: 'support' | 'finance', replaces: 'viewer' | 'finance') =>
    call(changeAdministrator, { params: { id: colleague.id }, body: { role, replaces, password: TEST_PASSWORD } })
  await role('finance', 'viewer')
  await expect(role('support', 'viewer')).rejects.toMatchObject({ ...changed, details: { value: 'finance' } })
  const { administrators } = await call(listAdministrators, {})
  expect(administrators.find(({ id }) => id === colleague.id)).toMatchObject({ role: 'finance' })

  const own = '127.0.0.1'
  const ips = (allowedIPs: string[], replaces: string[]) => call(setIpAccess, { body: { allowedIPs, replaces } })
  await ips([own], [])
  await expect(ips([own, '10.0.0.1'], [])).rejects.toMatchObject(changed)
  await ips([own, '10.0.0.2'], [own])
  await expect(ips([own], [own])).rejects.toMatchObject({ ...changed, details: { value: '10.0.0.2, 127.0.0.1' } })
  await expect(call(clearIpAccess, { body: { replaces: [own] } })).rejects.toMatchObject(changed)
  expect((await call(getIpAccess, {})).allowedIPs).toEqual([own, '10.0.0.2'])
  await call(clearIpAccess, { body: { replaces: ['10.0.0.2', own] } })

  const words = (en: string) => ({ title: { en, ko: null }, text: { en, ko: null } })
  await call(incidents.startIncident, { body: words('Slow') })
  const [{ id, updatedAt } = expect.fail()] = (await call(incidents.listIncidents, {})).incidents
  server.clock.advance(1)
  await call(incidents.updateIncident, { params: { id }, body: { ...words('Slower'), replaces: updatedAt } })
  await call(incidents.updateIncident, { params: { id }, body: { ...words('Slower'), replaces: updatedAt } })
  await expect(
    call(incidents.updateIncident, { params: { id }, body: { ...words('Fast'), replaces: updatedAt } }),
  ).rejects.toMatchObject(changed)
  expect((await call(incidents.listIncidents, {})).incidents).toMatchObject([words('Slower')])
})

test('a proposal names what it replaces once, and is outdated by a later change as before', async () => {
  const { browser, colleague, call } = await open('owner')
  const save = (value: string, replaces: string) =>
    call(office.changeSystemSetting, { body: { key: 'node_price_usdt', value, replaces } })
  await expect(save('4', '2')).rejects.toMatchObject(changed)
  const proposal = await proposalOf(browser, save('4', '3'))
  await inTwo(browser, colleague.browser, save('5', '3'))
  await expect(approve(colleague.browser, proposal)).rejects.toMatchObject({ code: 'proposal_outdated' })
})
