/** The mark: three by three points on a grid of 32, of which the diagonals, an X, are lit. */
export const points = [6, 16, 26].flatMap((y) => [6, 16, 26].map((x) => ({ x, y })))
export const lit: readonly number[] = [0, 2, 4, 6, 8]
