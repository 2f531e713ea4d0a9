/** The library is loaded with the first passkey: it and its parsers of certificates would slow down every start. */
export const loadWebAuthn = () => import('@simplewebauthn/server')
