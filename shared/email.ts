import { z } from 'zod'

/** An e-mail address, compared trimmed and in lower case everywhere. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'Please enter a valid email')
  .pipe(z.email('Please enter a valid email'))
