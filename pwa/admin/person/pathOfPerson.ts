/** The parts of the page of an account. `?part=<value>` opens one; the first is the default. */
export const personParts = ['overview', 'purchases', 'xcr', 'messages', 'audit'] as const
export type PersonPart = (typeof personParts)[number]

/** The page of an account, at one of its parts. */
export const pathOfPerson = (id: string, part?: PersonPart): string => `/admin-panel/users/${id}${part ? `?part=${part}` : ''}`
