import { useState } from 'preact/hooks';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { ApiClient, IssuedKey } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface RotateDialogProps {
  readonly organizationId: string;
  readonly moduleId: string;
  readonly app: ApiClient;
  readonly onIssued: (key: IssuedKey) => void;
  readonly onClose: () => void;
}

const OVERLAP_SECONDS = { none: 0, hour: 3_600, day: 86_400, week: 604_800 } as const;

type Overlap = keyof typeof OVERLAP_SECONDS;

function isOverlap(value: string): value is Overlap {
  return value in OVERLAP_SECONDS;
}

/** Makes an app a new key; the old one goes on for a while. */
export function RotateDialog({ organizationId, moduleId, app, onIssued, onClose }: RotateDialogProps) {
  const texts = useTexts().vendor.apps;
  const [overlap, setOverlap] = useState<Overlap>('day');
  const rotate = async () => {
    const address = `/${organizationId}/apiClients/${moduleId}/${app.clientId}/rotate`;
    onIssued(await callApi<IssuedKey>('POST', address, { overlapSeconds: OVERLAP_SECONDS[overlap] }));
  };
  return (
    <FormDialog
      title={texts.rotateTitle(app.clientName)}
      action={texts.rotate}
      onSubmit={rotate}
      onClose={onClose}
    >
      <label>
        {texts.overlap}
        <select
          value={overlap}
          onChange={({ currentTarget: { value } }) => {
            if (isOverlap(value)) setOverlap(value);
          }}
        >
          {Object.entries(texts.overlaps).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}
