import { setFlagsFromString } from 'node:v8'

/** Files being written at this moment. */
let files = 0

/**
 * While a file is written nearly everything is garbage at once, and V8 answers it with 100 MB more of room, pauses included, unless it is
 * told to make do with what it has. Call what is answered once the file is written.
 */
export function keepHeapSmall(): () => void {
  files += 1
  if (files === 1) setFlags({ youngGrowth: 1, oldGrowthPercent: 20 })
  return () => {
    files -= 1
    // As V8 has it by itself.
    if (files === 0) setFlags({ youngGrowth: 2, oldGrowthPercent: 0 })
  }
}

/** V8 reads both each time it decides on a size, which is why they may be set while it runs. */
function setFlags({ youngGrowth, oldGrowthPercent }: { youngGrowth: number; oldGrowthPercent: number }): void {
  setFlagsFromString(`--semi-space-growth-factor=${youngGrowth}`)
  setFlagsFromString(`--heap-growing-percent=${oldGrowthPercent}`)
}
