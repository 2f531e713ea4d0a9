/** Who set something, without what kind of person it is: "admin:root" is root. What came with the installation was set by nobody. */
export const nameSetter = (setBy: string | null): string => (setBy === null ? '–' : setBy.replace(/^(admin|operator):/, ''))
