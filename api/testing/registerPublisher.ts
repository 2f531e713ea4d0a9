import { flushCompileCache } from 'node:module'
import { createServices } from '#api/app/createServices.ts'
import { anchorNewest } from '#api/integrity/register/anchorRegister.ts'
import { publishNewest } from '#api/integrity/register/publish/publishRegister.ts'
import { testConfig } from './testConfig.ts'

/**
 * One round of publishing and anchoring in a separate process. Its configuration is its environment, and its argument the step at which it
 * is killed, as by `kill -9`.
 */
const last = process.argv[2]
const { DATABASE_URL = '', ...env } = process.env
// Otherwise written at the end, which this process may not live to see.
flushCompileCache()
const services = await createServices(testConfig({ DATABASE_URL, ...env }), {
  worker: false,
  onError: (error) => console.error(error),
})
const step = async (at: string) => {
  // Nothing after this line runs: a signal to the own process is delivered before the call returns.
  if (at === last) process.kill(process.pid, 'SIGKILL')
}
await publishNewest(services, { step })
await anchorNewest(services, { step: (at) => step(`anchor ${at}`) })
await services.stop()
