import { useEffect, useState } from 'preact/hooks';
import type { AvailableModule, Installation, List } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';

/** The installed modules that define alert rules; null while they are being read. One that cannot be read is left out. */
export function useDefiningModules(organizationId: string): readonly AvailableModule[] | null {
  const [modules, setModules] = useState<readonly AvailableModule[] | null>(null);
  useEffect(() => {
    readDefiningModules(organizationId).then(setModules, () => {
      setModules([]);
    });
  }, [organizationId]);
  return modules;
}

async function readDefiningModules(organizationId: string): Promise<readonly AvailableModule[]> {
  const { items } = await callApi<List<Installation>>('GET', `/${organizationId}/installations?limit=200`);
  const reads = items.map(({ moduleId }) =>
    callApi<AvailableModule>('GET', `/${organizationId}/availableModules/${moduleId}`),
  );
  const results = await Promise.allSettled(reads);
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return found.filter(({ alertRules }) => alertRules !== null && alertRules !== undefined);
}
