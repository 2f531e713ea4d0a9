/** Roles that only one process holds at a time. */
export const leaderRoles = ['watcher', 'payouts', 'notifier'] as const
export type LeaderRole = (typeof leaderRoles)[number]
