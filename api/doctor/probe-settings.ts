import { readFile } from 'node:fs/promises';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import type { CheckedSettings } from '../../shared/config/check-settings.ts';
import { tryStep, type ProbeStep } from '../../shared/process/probe-step.ts';

/** What is wrong with the settings, and what probably is. */
export async function probeSettings(settings: CheckedSettings): Promise<readonly ProbeStep[]> {
  const { config, issues, misspelt } = settings;
  const { catalogueFile } = config;
  return [
    ...(issues.length === 0
      ? [{ step: 'values', ok: true, detail: 'every setting is valid', advice: null }]
      : issues.map(issueStep)),
    ...misspelt.map(([name, likely]) => ({
      step: name,
      ok: true,
      detail: `${name} is not a setting and has no effect.`,
      advice: `If ${likely} is meant, rename it.`,
    })),
    ...(config.production ? [] : [NOT_PRODUCTION]),
    ...(catalogueFile === null
      ? []
      : [await tryStep('CATALOGUE_FILE', () => tryCatalogue(catalogueFile), explainCatalogue)]),
  ];
}

const NOT_PRODUCTION: ProbeStep = {
  step: 'NODE_ENV',
  ok: true,
  detail: 'The rules of production are not applied.',
  advice: 'Set NODE_ENV=production, unless this is a machine for development.',
};

function issueStep(issue: string): ProbeStep {
  const [step = 'settings'] = issue.split(' ', 1);
  return { step, ok: false, detail: `${issue}.`, advice: 'Correct it; .env.example explains every setting.' };
}

async function tryCatalogue(file: string): Promise<string> {
  loadCatalogue(await readFile(file, 'utf8'));
  return file;
}

function explainCatalogue(error: unknown): Pick<ProbeStep, 'detail' | 'advice'> {
  const detail = error instanceof Error ? error.message : String(error);
  return { detail, advice: 'Correct the file, or let CATALOGUE_FILE name another one.' };
}
