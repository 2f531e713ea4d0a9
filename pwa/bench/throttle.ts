import type { CDPSession } from 'playwright-core'

interface Throttling {
  /** How many times slower than this machine. */
  cpu: number
  /** Milliseconds. */
  latency: number
  /** Per second; infinity is no limit. */
  bits: number
}

/** Slows down a page's network and processor. */
export async function throttle(session: CDPSession, { cpu, latency, bits }: Throttling): Promise<void> {
  const throughput = bits === Number.POSITIVE_INFINITY ? -1 : bits / 8
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpu })
}
