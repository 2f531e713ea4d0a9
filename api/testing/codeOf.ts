/** The code of a refusal, for `catch`. */
export const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code
