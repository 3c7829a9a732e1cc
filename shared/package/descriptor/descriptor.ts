import type { NormalForm } from '../schema/normal-form.ts';
import type { descriptorForm } from './module-schema.ts';

/** The version that an import gives a module, whatever the package says. */
export const MODULE_VERSION = 0.1 as const;

/**
 * `moduleSchema.json` in its normal form: translations by language, environment variables by environment and
 * key, and no module version but the import's. Two packages that mean the same have the same normal form.
 * Subscription options and module files keep their order.
 */
export type Descriptor = NormalForm<typeof descriptorForm> & {
  readonly moduleVersion: typeof MODULE_VERSION;
};

/** A descriptor without the values of its environment variables: only an export has these. */
export type StoredDescriptor = Omit<Descriptor, 'environmentVariables'> & {
  readonly environmentVariables: readonly Omit<Descriptor['environmentVariables'][number], 'value'>[];
};

/** A descriptor without the values of its environment variables: they are secrets. */
export function withoutValues({ environmentVariables, ...descriptor }: Descriptor): StoredDescriptor {
  return {
    ...descriptor,
    environmentVariables: environmentVariables.map(({ appEnvironmentId, key }) => ({
      appEnvironmentId,
      key,
    })),
  };
}

/** The module's texts in one language. */
export type Translation = Descriptor['translations'][number];
