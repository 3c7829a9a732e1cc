import { openCatalogue } from '../catalogue/catalogue.ts';
import { loadProcessConfig } from '../config/config.ts';

const USAGE = 'usage: npm run --silent catalogue -- [SET[/KEY]], such as languages/en';

/** `languages/en` prints that entry's ID; `languages` lists the set; no argument lists the sets. */
async function printCatalogue(wanted: string): Promise<void> {
  const catalogue = await openCatalogue(loadProcessConfig().catalogueFile);
  const [setName = '', key] = wanted.split('/');
  const set = catalogue.sets.get(setName);
  if (wanted === '') {
    for (const [name, entries] of catalogue.sets) console.log(`${name.padEnd(20)} ${entries.length}`);
  } else if (set === undefined) {
    fail(`There is no set ${setName}. The sets are: ${[...catalogue.sets.keys()].join(', ')}`);
  } else if (key === undefined) {
    for (const entry of set) console.log(`${entry.id}  ${entry.key.padEnd(24)} ${entry.value}`);
  } else {
    const entry = catalogue.entry(setName, key);
    if (entry === undefined) fail(`The set ${setName} has no entry with the key ${key}.`);
    else console.log(entry.id);
  }
}

function fail(text: string): void {
  console.error(text);
  process.exitCode = 1;
}

const [wanted = ''] = process.argv.slice(2);
if (wanted === '--help') console.log(USAGE);
else await printCatalogue(wanted);
