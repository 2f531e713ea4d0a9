import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildServer } from '#api/dev/buildServer.ts'
import { startProduct } from './startProduct.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Data folders that the test files copy: of a new product, and of a filled one in which the largest withdrawals need a review. */
    newData: string
    filledData: string
  }
}

/** Does once what each test file would repeat: unpacks the browser, bundles the server, creates the database and the chains, and fills a demo. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const file = path.join(import.meta.dirname, 'chromePath.ts')
  execFileSync(process.execPath, ['--input-type=module', '--eval', `await (await import('${file}')).chromePath()`])
  await buildServer()
  const [newData, filledData] = await Promise.all([
    prepareData({ isFilled: false }),
    prepareData({ isFilled: true, env: { PAYOUT_REVIEW_ABOVE: '3500' } }),
  ])
  project.provide('newData', newData)
  project.provide('filledData', filledData)
  return async () => {
    for (const folder of [newData, filledData]) await rm(folder, { recursive: true, force: true })
  }
}

async function prepareData(options: { isFilled: boolean; env?: Record<string, string> }): Promise<string> {
  const product = await startProduct(options)
  await product.stop({ keepData: true })
  return product.dataDir
}
