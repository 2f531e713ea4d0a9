/** Whether a path belongs to the back office, which has a session and a navigation of its own. */
export const isAdminArea = (pathname: string): boolean => /^\/admin(1|-login|-panel)(\/|$)/.test(pathname)
