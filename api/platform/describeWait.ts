/** "12 minutes": how long to wait, rounded up. Each unit is written out, because the page translates the text by its pattern. */
export function describeWait(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`
  if (seconds <= 5_400) return `${Math.ceil(seconds / 60)} minutes`
  return `${Math.ceil(seconds / 3_600)} hours`
}
