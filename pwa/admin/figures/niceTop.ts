/** The smallest 1, 2 or 5 times a power of ten that is not below the value: the end of an axis. */
export function niceTop(value: bigint): bigint {
  if (value <= 0n) return 0n
  const power = 10n ** BigInt(String(value).length - 1)
  return [1n, 2n, 5n, 10n].map((step) => step * power).find((end) => end >= value)!
}
