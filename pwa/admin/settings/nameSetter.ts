/** The name of an actor without its kind: "admin:root" is root. */
export const nameSetter = (setBy: string): string => setBy.replace(/^(admin|operator):/, '')
