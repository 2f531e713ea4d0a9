import { verify } from 'otplib'
import { SECOND } from '#shared/dates.ts'
import { oneTimeCode } from '#shared/oneTimeCode.ts'

/** The period of one code. */
export const TIME_STEP = 30 * SECOND

export const timeStepOf = (now: Date): number => Math.floor(now.getTime() / TIME_STEP)

/** The time step of a code: the present one or a neighbor, to tolerate clock drift. Undefined for a wrong code. */
export async function findTimeStep(secret: string, { token, now }: { token: string; now: Date }): Promise<number | undefined> {
  if (!oneTimeCode.safeParse(token).success) return undefined
  const result = await verify({ secret, token, epoch: Math.floor(now.getTime() / SECOND), epochTolerance: TIME_STEP / SECOND })
  return result.valid ? timeStepOf(now) + result.delta : undefined
}
