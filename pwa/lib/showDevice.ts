import { t, translateServerText } from '#pwa/i18n/t.ts'

/** The browser and system of a session, which the server names in English, such as "Chrome on Android". */
export function showDevice(device: string): string {
  const [browser, system] = device.split(' on ')
  return browser && system ? t('{browser} on {system}', { browser, system }) : translateServerText(device)
}
