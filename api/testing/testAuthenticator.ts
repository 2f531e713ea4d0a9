import { generate } from 'otplib'
import { SECOND } from '#shared/dates.ts'
import { TIME_STEP, timeStepOf } from '#api/accounts/otp/findTimeStep.ts'
import type { TestServer } from './server.ts'

export interface TestAuthenticator {
  /** Returns an unused code; moves the clock if necessary. */
  code(): Promise<string>
  /** Returns the code this many milliseconds from now. */
  codeAt(ahead: number): Promise<string>
  /** Returns a code that is not shown near now. */
  wrongCode(): Promise<string>
}

/** The authenticator of an account. Without a secret, asking it for a code fails the test. */
export function testAuthenticator({ clock }: Pick<TestServer, 'clock'>, secret: string | undefined): TestAuthenticator {
  let lastStep = 0
  const codeAt = async (ahead: number): Promise<string> => {
    if (!secret) throw new Error('This account has no authenticator.')
    return generate({ secret, epoch: Math.floor((clock.now().getTime() + ahead) / SECOND) })
  }
  return {
    codeAt,
    async wrongCode() {
      const near = await Promise.all([-2, -1, 0, 1, 2].map((step) => codeAt(step * TIME_STEP)))
      return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code))!
    },
    async code() {
      if (timeStepOf(clock.now()) <= lastStep) clock.advance(TIME_STEP)
      lastStep = timeStepOf(clock.now())
      return codeAt(0)
    },
  }
}
