import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openPage, signIn, takeScreenshot } from './support/chromium.ts';
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor } from './support/seeded-pages.ts';
import { samplePackage } from '../support/sample-package.ts';

/** `.ci/applications` gets them. */
const FOLDER = path.resolve(import.meta.dirname, '../../.test-data/applications');
const isMissing = !existsSync(FOLDER) && process.env['REQUIRE_ALL_PARTS'] !== '1';

interface RealApplication {
  /** The folder of the npm package that its page loads. */
  readonly folder: string;
  /** The page, which sets the text of its heading when all works. */
  readonly page: string;
  readonly works: string;
}

/** Applications that use what a sandbox without an origin refuses. */
const APPLICATIONS: Readonly<Record<string, RealApplication>> = {
  'a globe with textures and workers (Cesium)': {
    folder: 'cesium@1.145.0/Build/Cesium',
    page: `<link rel="stylesheet" href="lib/Widgets/widgets.css" />
<h1>…</h1>
<div id="globe" style="width: 240px; height: 180px"></div>
<script>window.CESIUM_BASE_URL = './lib/';</script>
<script src="lib/Cesium.js"></script>
<script>
  const tiles = Cesium.TileMapServiceImageryProvider.fromUrl('lib/Assets/Textures/NaturalEarthII');
  const viewer = new Cesium.Viewer('globe', { baseLayerPicker: false, geocoder: false, baseLayer: Cesium.ImageryLayer.fromProviderAsync(tiles) });
  viewer.scene.globe.tileLoadProgressEvent.addEventListener((waiting) => {
    if (waiting === 0 && viewer.imageryLayers.get(0)?.ready)
      document.querySelector('h1').textContent = 'Globe of ' + viewer.imageryLayers.length + ' layer';
  });
</script>`,
    works: 'Globe of 1 layer',
  },
  'a map whose workers cut its data (MapLibre)': {
    folder: 'maplibre-gl@6.17.0/dist',
    page: `<link rel="stylesheet" href="lib/maplibre-gl.css" />
<h1>…</h1>
<div id="map" style="width: 240px; height: 180px"></div>
<script type="module">
  import { Map } from './lib/maplibre-gl.mjs';
  const geometry = { type: 'Polygon', coordinates: [[[10, 53], [11, 53], [11, 54], [10, 54], [10, 53]]] };
  const field = { type: 'geojson', data: { type: 'Feature', properties: {}, geometry } };
  const layers = [{ id: 'field', type: 'fill', source: 'field' }];
  const map = new Map({ container: 'map', center: [10.5, 53.5], zoom: 6, style: { version: 8, sources: { field }, layers } });
  map.once('idle', () => {
    document.querySelector('h1').textContent = map.queryRenderedFeatures([120, 90]).length + ' field on the map';
  });
</script>`,
    works: '1 field on the map',
  },
  'an editor in a frame of its own that stores drafts (TinyMCE)': {
    folder: 'tinymce@8.9.2',
    page: `<h1>…</h1>
<textarea>Sow winter barley.</textarea>
<script src="lib/tinymce.min.js"></script>
<script>
  tinymce.init({
    selector: 'textarea', license_key: 'gpl', plugins: 'autosave', autosave_prefix: 'draft-', promotion: false,
    init_instance_callback(editor) {
      editor.insertContent('Then rape.');
      editor.setDirty(true);
      editor.plugins.autosave.storeDraft();
      const text = new DOMParser().parseFromString(localStorage.getItem('draft-draft'), 'text/html').body.textContent;
      document.querySelector('h1').textContent = 'Draft: ' + text;
    },
  });
</script>`,
    works: 'Draft: Then rape.Sow winter barley.',
  },
};

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

function packageOf(name: string, { folder, page }: RealApplication): Buffer {
  const top = path.join(FOLDER, folder);
  const library = readdirSync(top, { recursive: true, encoding: 'utf8' })
    .filter((each) => /\.(?:js|mjs|css|json|xml|jpg|png|svg|wasm)$/.test(each))
    .map((each): [string, Buffer] => [
      `PackageArtifact/build/lib/${each}`,
      readFileSync(path.join(top, each)),
    ]);
  const files = {
    ...Object.fromEntries(library),
    'PackageArtifact/build/index.html': `<!doctype html><html lang="en"><title>Real</title><body>${page}</body></html>`,
  };
  const translations = [{ languageId: stack.app.api.catalogue.englishId, moduleName: name }];
  return samplePackage(stack.app.api.catalogue, { descriptor: { translations }, files });
}

test.skipIf(isMissing).for(Object.entries(APPLICATIONS))(
  'the portal runs an application from npm as on the web: %s',
  async ([name, application]) => {
    const moduleId = await importAsVendor(stack, packageOf(name, application));
    await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/installations/${moduleId}`);
    const portal = stack.app.url.replace('127.0.0.1', 'modules.localhost');
    const { page, requested, complaints } = await openPage(browser);
    await signIn(page, portal, 'Fiona Farmer');
    await page.goto(`${portal}/portal/${FARM_ID}/apps/${moduleId}`);
    const heading = page.frameLocator('iframe').locator('h1');
    const shown = async () => [await heading.textContent(), ...complaints];
    await expect.poll(shown).toEqual([application.works]);
    await takeScreenshot(page, `application-${application.folder.split('@')[0] ?? ''}`);
    const own = new Set(
      requested.filter((each) => each.startsWith('http')).map((each) => new URL(each).hostname),
    );
    expect(own).toEqual(new Set(['modules.localhost', '127.0.0.1', `${moduleId}.modules.localhost`]));
    await page.context().close();
  },
);
