import type { ComponentChildren } from 'preact';
import type { ModuleImport } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';

type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'busy';

/** A short word about a state. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const TONES: Readonly<Record<ModuleImport['status'], Tone>> = {
  queued: 'busy',
  running: 'busy',
  succeeded: 'good',
  rejected: 'warn',
  failed: 'bad',
  cancelled: 'calm',
};

/** The status of an import. */
export function ImportBadge({ status }: Pick<ModuleImport, 'status'>) {
  const { common } = useTexts();
  return <Badge tone={TONES[status]}>{common.importStatus[status]}</Badge>;
}
