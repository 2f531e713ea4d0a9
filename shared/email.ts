import { z } from 'zod'

/** An e-mail address, always compared trimmed and in lower case. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'Please enter a valid email')
  .pipe(z.email('Please enter a valid email'))
