import type { AuthUser } from '#shared/contract/identity.ts'

export function Avatar({ user }: { user: AuthUser }) {
  if (user.profileImageUrl) return <img src={user.profileImageUrl} alt="" className="size-8 rounded-full object-cover" />
  return (
    <span
      aria-hidden
      className="grid size-8 place-items-center rounded-full bg-accent-soft text-14 font-strong text-accent uppercase"
    >
      {user.email[0]}
    </span>
  )
}
