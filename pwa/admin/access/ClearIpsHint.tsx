import { T } from '#pwa/i18n/T.tsx'

const COMMAND = 'npm run admin -- clear-ips'

/** How administrators regain access after their IP address changed. */
export const ClearIpsHint = () => (
  <span className="mt-2 block text-14">
    <T
      text="Locked out? Run {command} on the server. It allows every address until you set a new list."
      command={<code className="exact">{COMMAND}</code>}
    />
  </span>
)
