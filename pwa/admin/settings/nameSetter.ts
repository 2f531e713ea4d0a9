/** Who set something, without what kind of person it is: "admin:root" is root. */
export const nameSetter = (setBy: string): string => setBy.replace(/^(admin|operator):/, '')
