import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished, test, vi } from 'vitest'
import { readProcess } from './readProcess.ts'

const parent = `
import { spawnBound } from '${import.meta.dirname}/spawnBound.ts'
console.log(spawnBound('sleep', ['600'], { deathSignal: 'TERM' }).pid)
setInterval(() => {}, 1000)
`

test('a child does not outlive its parent, even one that was killed', async () => {
  const process = spawn('node', ['--input-type=module-typescript', '--eval', parent], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void process.kill('SIGKILL'))
  const [text] = (await once(process.stdout, 'data')) as [Buffer]
  const pid = Number(text.toString())
  // By then it has become what it was started for, and is bound.
  await vi.waitUntil(() => readProcess(pid)?.name === 'sleep')
  process.kill('SIGKILL')
  await vi.waitUntil(() => readProcess(pid) === undefined)
})
