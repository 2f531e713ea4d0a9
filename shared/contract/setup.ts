import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const setupStatus = endpoint({
  method: 'GET',
  path: '/api/setup/status',
  access: 'public',
  limit: 'none',
  response: z.object({
    setupRequired: z.boolean(),
    /** The caller's IP address, for the list of allowed addresses. Only while setup is required. */
    currentIP: z.string().optional(),
  }),
})

/** The validation rules, in the order of their messages. */
export const setupPayload = z
  .object({
    username: z.string().trim().min(1, 'Please enter a username.').max(100, 'The username is too long.'),
    password: z
      .string()
      .min(1, 'Please enter a password.')
      .min(8, 'Password must be at least 8 characters long.')
      .max(256, 'The password is too long.'),
    confirmPassword: z.string(),
    allowedIps: z
      .array(z.string().max(100))
      .min(1, 'Please enter at least one allowed IP address.')
      .max(50, 'Please enter at most 50 IP addresses.'),
  })
  .refine((payload) => payload.password === payload.confirmPassword, {
    path: ['confirmPassword'],
    message: 'Please ensure both passwords are identical.',
  })

/** In production this header must have the one-time token of the link in the log. */
export const SETUP_TOKEN_HEADER = 'x-setup-token'

export const initializeSetup = endpoint({
  method: 'POST',
  path: '/api/setup/initialize',
  access: 'public',
  limit: 'setup_ip',
  body: setupPayload,
  response: z.object({ message: z.string() }),
  errors: ['setup_done', 'setup_token_required'],
})
