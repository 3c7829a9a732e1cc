import type { ComponentChildren } from 'preact';
import type { ImportStatus } from '../server/answers.ts';
import { useTexts } from '../texts/language.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'busy';

/** A short word about a state. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

const TONES: Readonly<Record<ImportStatus, Tone>> = {
  queued: 'busy',
  running: 'busy',
  succeeded: 'good',
  rejected: 'warn',
  failed: 'bad',
  cancelled: 'calm',
};

/** How an import stands. */
export function ImportBadge({ status }: { readonly status: ImportStatus }) {
  const { common } = useTexts();
  return <Badge tone={TONES[status]}>{common.importStatus[status]}</Badge>;
}
