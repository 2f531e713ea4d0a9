/** Roles that one process at a time has. */
export const leaderRoles = ['watcher', 'payouts', 'notifier'] as const
export type LeaderRole = (typeof leaderRoles)[number]
