/** Pages show times in the zone of the device, which is UTC in every test, wherever it runs. A worker thread cannot change its zone itself. */
export default function globalSetup(): void {
  process.env.TZ = 'UTC'
}
