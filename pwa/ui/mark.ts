/** The mark: three by three points of the field on a grid of 32, of which the diagonal cross, an X, is lit. */
export const points = [6, 16, 26].flatMap((y) => [6, 16, 26].map((x) => ({ x, y })))
export const lit: readonly number[] = [0, 2, 4, 6, 8]
