import { useState } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'

/** The user's picture, or initials: "mara.lind" gives ML. */
export function Avatar({ user }: { user: AuthUser }) {
  const [failed, setFailed] = useState<string | null>(null)
  const { profileImageUrl } = user
  if (profileImageUrl && profileImageUrl !== failed)
    return (
      <img src={profileImageUrl} alt="" onError={() => setFailed(profileImageUrl)} className="size-8 rounded-full object-cover" />
    )
  return (
    // Decorative: the button has a name of its own.
    <span
      aria-hidden
      data-initials={initialsOf(user)}
      className="grid size-8 place-items-center rounded-full bg-accent-soft text-14 font-strong text-accent uppercase before:content-[attr(data-initials)]"
    />
  )
}

const initialsOf = ({ email }: AuthUser): string =>
  email
    .split('@')[0]!
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((part) => part[0])
    .join('') || 'U'
