/** The folder of objects in the data directory. */
export function objectsFolder(dataDir: string): string {
  return `${dataDir}/objects`;
}
