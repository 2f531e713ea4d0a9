/** The sequences of a test run: by default one short one, and with the variables of `npm run sequences` as many as asked. */
export const seeds = Array.from(
  { length: Number(process.env.SEQUENCES ?? 1) },
  (_, index) => Number(process.env.SEED ?? 1) + index,
)

/** Number of events of each. */
export const steps = Number(process.env.STEPS ?? 15)
