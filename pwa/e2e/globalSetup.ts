import { chromePath } from './chromePath.ts'

/** The browser is unpacked once, rather than by every file of tests at the same moment. */
export default async function globalSetup(): Promise<void> {
  await chromePath()
}
