import { oneTimeCode, readRecoveryCode } from '#shared/oneTimeCode.ts'

/** The authenticator code or the recovery code that a text is, as it is sent; undefined while it is neither. */
export const readOneTimeCode = (text: string): string | undefined =>
  oneTimeCode.safeParse(text).success ? text : readRecoveryCode(text)
