/** No organization of the simulation has too many modules. */
export class ModuleQuota {
  readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  isUsedUp(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
