import { expect, test } from 'vitest'
import { keepPictures } from './keepPictures.ts'
import { type Person, useProduct } from './fixtures.ts'

const product = useProduct({ isFilled: true })

const countRows = ({ page }: Person, table: string) =>
  page
    .getByRole('table', { name: table, exact: true })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
    .count()

/** Pictures of the place of a heading; on a phone it is further down. */
async function keepPicturesOf({ page }: Person, heading: string, place: string): Promise<void> {
  const show = () => page.getByRole('heading', { name: heading, exact: true }).evaluate((element) => element.scrollIntoView())
  await show()
  await keepPictures(page, place)
  if (!process.env.PICTURES) return
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: 844 })
  await show()
  await keepPictures(page, `${place} below`)
  await page.setViewportSize(before)
}

/** The rows of a CSV file below its headings. */
async function readCsv({ page }: Person, path: string): Promise<string[]> {
  const response = await page.request.get(path)
  expect(response.status(), path).toBe(200)
  return (await response.text()).trimEnd().split('\r\n').slice(1)
}

test('a list is narrowed and ordered by its address, and its file has the same rows', async () => {
  const administrator = await product.openBackOffice()
  const { page } = administrator
  await page.getByRole('link', { name: 'Deposits' }).click()
  await page.getByRole('table', { name: 'Deposits' }).waitFor()
  const all = await countRows(administrator, 'Deposits')
  expect(await readCsv(administrator, '/api/admin/deposits/export?format=csv')).toHaveLength(all)
  await keepPicturesOf(administrator, 'Deposits', 'panel, deposits')

  await page.getByRole('button', { name: 'Filters and order' }).click()
  await page.getByLabel('At least (USDT)').fill('100')
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Largest amount first')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByLabel('Summary of the filter').waitFor()
  expect(new URL(page.url()).search).toBe('?tab=deposits&min=100&sort=largest')
  const large = await countRows(administrator, 'Deposits')
  expect(large).toBeGreaterThan(0)
  expect(large).toBeLessThan(all)
  const file = await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href')
  expect(await readCsv(administrator, file!)).toHaveLength(large)
  await keepPicturesOf(administrator, 'Deposits', 'panel, deposits filtered')

  await page.getByRole('tab', { name: 'Users management' }).click()
  await page.getByRole('combobox', { name: 'Times' }).selectOption('Seoul')
  await page.getByRole('columnheader', { name: 'Signed up (Seoul)' }).waitFor()
  await page.getByText('Every time names its zone.').waitFor()
  await page.getByRole('button', { name: 'Filters and order' }).click()
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Most nodes first')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('With nodes')
  await page.getByLabel('Summary of the filter').waitFor()
  await page.getByLabel('Summary of the filter').evaluate((element) => element.scrollIntoView({ block: 'end' }))
  await keepPictures(page, 'panel, users filtered')
  await page.goto('/admin-panel?tab=withdrawals&status=completed')
  await page.getByLabel('Summary of the filter').waitFor()
  await page.getByLabel('Summary of the filter').evaluate((element) => element.scrollIntoView({ block: 'end' }))
  await keepPictures(page, 'panel, withdrawals filtered')
  await page.goto('/admin-panel?tab=audit&person=mina%40example.com')
  await page.getByRole('table', { name: 'Audit log' }).waitFor()
  await keepPicturesOf(administrator, 'Audit', 'panel, audit of a person')
})

test('the overview has charts with their tables, and the books a month with its files', async () => {
  const administrator = await product.openBackOffice()
  const { page } = administrator
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('figure').first().waitFor()
  await keepPicturesOf(administrator, 'Overview', 'panel, overview')
  await page.getByRole('button', { name: 'Show as a table' }).first().click()
  await keepPicturesOf(administrator, 'Overview', 'panel, overview with a table')

  await page.getByRole('link', { name: 'Books' }).click()
  await page.getByRole('heading', { name: 'Owed to holders' }).waitFor()
  await keepPicturesOf(administrator, 'Books', 'panel, books')
  const files = page.getByRole('listitem').getByRole('link', { name: 'Download as CSV' })
  expect(await files.count()).toBe(7)
  for (const path of await files.evaluateAll((links) => links.map((link) => link.getAttribute('href')!)))
    expect(await readCsv(administrator, path)).not.toContain('undefined')
  await keepPicturesOf(administrator, 'Files', 'panel, books files')
})

test('a holder downloads the file for tax tools', async () => {
  const mina = await product.arriveAsMina()
  await mina.page.goto('/history')
  const link = mina.page.getByRole('link', { name: 'Koinly' })
  const rows = await readCsv(mina, (await link.getAttribute('href'))!)
  expect(rows.some((row) => row.includes(',reward,'))).toBe(true)
  await keepPictures(mina.page, 'history, tax')
})
