import { Confirm } from '../parts/confirm.tsx';
import type { ApiClient } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface RevokeDialogProps {
  readonly organizationId: string;
  readonly moduleId: string;
  readonly app: ApiClient;
  readonly onRevoked: () => Promise<void>;
  readonly onClose: () => void;
}

/** Ends an app's keys, once the reader has confirmed it. */
export function RevokeDialog({ organizationId, moduleId, app, onRevoked, onClose }: RevokeDialogProps) {
  const texts = useTexts().vendor.apps;
  return (
    <Confirm
      title={texts.revokeTitle(app.clientName)}
      text={texts.revokeText}
      action={texts.revoke}
      onConfirm={async () => {
        await callApi('DELETE', `/${organizationId}/apiClients/${moduleId}/${app.clientId}`);
        await onRevoked();
        onClose();
      }}
      onClose={onClose}
    />
  );
}
