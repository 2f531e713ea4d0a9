/**
 * Roles that only one process holds at a time. Nobody leads as `notifier` any more: any worker publishes changes, under a lock of its own
 * (`runNotifier`). Its row stays, because the release before needs it to start.
 */
export const leaderRoles = ['watcher', 'payouts', 'notifier'] as const
export type LeaderRole = (typeof leaderRoles)[number]
