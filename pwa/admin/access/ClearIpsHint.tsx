import { T } from '#pwa/i18n/T.tsx'

const COMMAND = 'npm run admin -- clear-ips'

/** How administrators regain access after their IP address changed. */
export const ClearIpsHint = () => (
  <span className="mt-2 block text-14">
    <T
      text="Locked out? Run {command} on the server: it lets every address in until you set another list."
      command={<code className="exact">{COMMAND}</code>}
    />
  </span>
)
