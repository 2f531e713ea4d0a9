/** The months cannot be archived; nothing was changed. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused'
}
