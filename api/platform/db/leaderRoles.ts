/**
 * Roles that only one process holds at a time. Nobody leads as `notifier` any more: any worker publishes changes, under a lock of its own
 * (`runNotifier`). The release before needs its row to start, so the row and this name are dropped one release later.
 */
export const leaderRoles = ['watcher', 'payouts', 'notifier'] as const
export type LeaderRole = (typeof leaderRoles)[number]
