import fc from 'fast-check'

/** Returns the usual value, except once in `times`. */
export const often = <T>(times: number, usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
