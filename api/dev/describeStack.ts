import type { DemoLogins } from './demo/fillDemo.ts'
import type { EmbeddedPart } from './startEmbeddedStack.ts'

interface Description {
  url: string
  parts: readonly EmbeddedPart[]
  demo: boolean
  dataDir: string
  /** The logins of a filled demo. */
  logins?: DemoLogins
}

/** The text that `npm start` prints when everything runs. */
export function describeStack({ url, parts, demo, dataDir, logins }: Description): string {
  const mailbox = parts.find(({ name }) => name === 'mailbox')?.address
  const steps = [
    `Open ${url} and set up the first administrator.`,
    `Sign up with any email address. ${mailbox ? `The code is in the mailbox: ${mailbox}` : 'The code comes by mail.'}`,
    'Security Settings: set up the authenticator.',
    ...(demo
      ? [
          'Connect the demo wallet, and get test money from the Demo bar.',
          'Buy nodes, then skip to the next day in the Demo bar.',
        ]
      : ['Connect your wallet, and buy nodes.']),
  ]
  return [
    '',
    `  XCR Nodes is running: ${url}`,
    '',
    ...(parts.length > 0
      ? ['  Embedded, because not configured (.env.example explains every variable)', ...table(parts), '']
      : ['  Nothing is embedded: everything is configured.', '']),
    ...(logins
      ? describeLogins(url, logins)
      : [
          '  Try first',
          ...steps.map((step, index) => `    ${index + 1}. ${step}`),
          ...(demo
            ? ['', '  npm start -- --demo fills it with sample data: an administrator, holders and ten days of rewards.']
            : []),
        ]),
    '',
    `  Ctrl-C stops everything. All data stays in ${dataDir}`,
    '',
  ].join('\n')
}

function table(parts: readonly EmbeddedPart[]): string[] {
  const width = (column: 'name' | 'address') => Math.max(...parts.map((part) => part[column].length))
  return parts.map(({ name, address, note }) => `    ${name.padEnd(width('name'))}  ${address.padEnd(width('address'))}  ${note}`)
}

function describeLogins(url: string, { administrator, password, holders }: DemoLogins): string[] {
  const width = Math.max(...holders.map(({ email }) => email.length))
  return [
    '  Log in',
    `    administrator  ${url}/admin1  ${administrator.username}  ${administrator.password}`,
    `    holders        ${url}/auth  each with the password ${password}`,
    ...holders.map(
      ({ email, about, otpSecret }) =>
        `      ${email.padEnd(width)}  ${about}\n      ${' '.repeat(width)}  authenticator key ${otpSecret}`,
    ),
  ]
}
