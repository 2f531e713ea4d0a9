import { setFlagsFromString } from 'node:v8'

/** The number of files being written. */
let files = 0

/**
 * Limits heap growth while a file is written. Nearly all its memory is garbage at once, and V8 would otherwise grow the heap by
 * 100 MB, pauses included. Call the returned function when the file is complete.
 */
export function keepHeapSmall(): () => void {
  files += 1
  if (files === 1) setFlags({ youngGrowth: 1, oldGrowthPercent: 20 })
  return () => {
    files -= 1
    // V8's defaults.
    if (files === 0) setFlags({ youngGrowth: 2, oldGrowthPercent: 0 })
  }
}

/** V8 reads both flags at each resizing decision, so they may be set at runtime. */
function setFlags({ youngGrowth, oldGrowthPercent }: { youngGrowth: number; oldGrowthPercent: number }): void {
  setFlagsFromString(`--semi-space-growth-factor=${youngGrowth}`)
  setFlagsFromString(`--heap-growing-percent=${oldGrowthPercent}`)
}
