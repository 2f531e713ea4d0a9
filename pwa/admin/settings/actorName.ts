/** The name of an actor without its kind: "admin:root" is root. */
export const actorName = (setBy: string): string => setBy.replace(/^(admin|operator):/, '')
