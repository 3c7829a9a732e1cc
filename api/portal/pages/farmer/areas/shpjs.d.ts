/** The library has no types of its own. */
declare module 'shpjs' {
  /** The geometry of each record, as GeoJSON; null where it has none. */
  export function parseShp(shp: Uint8Array): readonly unknown[];
  /** The attributes of each record. */
  export function parseDbf(dbf: Uint8Array, encoding: string): readonly unknown[];
}
