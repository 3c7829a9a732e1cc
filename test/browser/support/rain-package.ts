import { TINY_SVG } from '../../support/package-builder.ts';
import { PIXEL, samplePackage } from '../../support/sample-package.ts';
import type { PortalStack } from './portal-stack.ts';

const DESCRIPTION = `# When it rains

Says **when** to irrigate. [Manual](https://rain.example/manual) [bad](javascript:alert(1)) <script>alert(1)</script>

- by field
- by block

![tracked](https://rain.example/pixel.png)`;

/** A package with everything that the page of a module shows. */
export function rainPackage(stack: PortalStack, members: object = {}, terms = '# Rain terms'): Buffer {
  const { catalogue } = stack.app.api;
  const idOf = (set: string, key: string) => catalogue.entry(set, key)?.id;
  const descriptor = {
    scope: 'rainRadar',
    vendorInternalCodeVersion: '1.0',
    categoryId: idOf('categories', 'weather'),
    cropIds: [idOf('crops', 'maize')],
    dataAreaIds: [idOf('dataAreas', 'FarmOrganization')],
    translations: [
      {
        languageId: catalogue.englishId,
        ...{ moduleName: 'Rain radar', shortDescription: 'Rain by field', description: DESCRIPTION },
        ...{ websiteUrl: 'https://rain.example', websiteName: 'rain.example' },
        supportContact: 'help@rain.example',
      },
      {
        languageId: idOf('languages', 'de'),
        ...{ moduleName: 'Regenradar', shortDescription: 'Regen je Feld', description: 'Sagt, wann.' },
      },
    ],
    subscriptionOptions: [
      {
        ...{ paymentCycleId: idOf('paymentCycles', 'monthly'), currencyId: idOf('currencies', 'EUR') },
        ...{ regionId: idOf('regions', 'europe'), price: 9.9, trialLength: 30 },
      },
    ],
    moduleFiles: [
      { file: 'ModuleToS/terms.md', languageId: 'en' },
      { file: 'ModulePrivacy/privacy.md', languageId: 'en' },
      { file: 'ModuleLogo/logo.svg' },
      { file: 'ModuleImage/one.png' },
      { file: 'ModuleImage/two.svg' },
    ],
    ...members,
  };
  const files = {
    'ModuleToS/terms.md': terms,
    'ModuleLogo/logo.png': null,
    'ModuleLogo/logo.svg': TINY_SVG,
    'ModuleImage/one.png': PIXEL,
    'ModuleImage/two.svg': TINY_SVG.replace('<svg', '<svg width="300" height="900"'),
  };
  return samplePackage(catalogue, { descriptor, files });
}
