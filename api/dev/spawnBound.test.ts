import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { readProcess } from './readProcess.ts'

const parent = `
import { spawnBound } from '${import.meta.dirname}/spawnBound.ts'
console.log(spawnBound('sleep', ['600'], { deathSignal: 'TERM' }).pid)
setInterval(() => {}, 1000)
`

test('a child ends with its parent, even if the parent is killed', async () => {
  const process = spawn('node', ['--input-type=module-typescript', '--eval', parent], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void process.kill('SIGKILL'))
  const [text] = (await once(process.stdout, 'data')) as [Buffer]
  const pid = Number(text.toString())
  // From then on setpriv has bound it and executed the command.
  await expect.poll(() => readProcess(pid)?.name).toBe('sleep')
  process.kill('SIGKILL')
  await expect.poll(() => readProcess(pid)).toBeUndefined()
})
