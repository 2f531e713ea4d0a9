/**
 * Fetches what a visitor may open later into the browser's cache, file after file, where no service worker does: a browser remembers
 * a chunk that it could not get without a connection as failed, and only a reload, which loses what was typed, gets it. Not with an
 * import, whose failure would be remembered as well.
 */
export async function fetchChunks(): Promise<void> {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean; effectiveType?: string } }
  if (connection?.saveData || connection?.effectiveType?.endsWith('2g')) return
  try {
    // The service worker lists them.
    const worker = await (await fetch('/sw.js')).text()
    for (const [path] of worker.matchAll(/assets\/[\w.-]+\.js/g)) await (await fetch(`/${path}`, { priority: 'low' })).blob()
  } catch (error) {
    console.info('Not everything could be fetched beforehand', error)
  }
}
