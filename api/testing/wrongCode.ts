import { TIME_STEP } from '#api/accounts/otp/findTimeStep.ts'

/** Not a code of any time step near now. @param codeAt returns the code this many milliseconds from now. */
export async function wrongCode(codeAt: (ahead: number) => Promise<string>): Promise<string> {
  const near = await Promise.all([-2, -1, 0, 1, 2].map((step) => codeAt(step * TIME_STEP)))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code))!
}
