import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'

test('a tab does not hear the tabs of test files that run in other threads', async () => {
  const heard: unknown[] = []
  const [tab, other] = [new BroadcastChannel('tabs'), new BroadcastChannel('tabs')]
  onTestFinished(() => [tab, other].forEach((channel) => channel.close()))
  tab.addEventListener('message', ({ data }) => heard.push(data))

  const elsewhere = `const tab = new BroadcastChannel('tabs'); tab.postMessage('of another file'); tab.close()`
  await once(new Worker(elsewhere, { eval: true }), 'exit')
  other.postMessage('of the same')

  await expect.poll(() => heard).toContain('of the same')
  expect(heard).toEqual(['of the same'])
})
