import { refusal } from '#api/platform/errors.ts'

export const userUnknown = () => refusal(404, 'not_found', 'There is no such user.')
