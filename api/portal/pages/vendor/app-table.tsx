import { Badge } from '../parts/badge.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import type { ApiClient } from '../server/answers.ts';
import { useTexts } from '../texts/language.ts';

interface AppTableProps {
  readonly apps: readonly ApiClient[];
  readonly isAdmin: boolean;
  readonly onAct: (dialog: 'rotate' | 'revoke', app: ApiClient) => void;
}

/** The keys of a module: never a secret, only how it begins. */
export function AppTable({ apps, isAdmin, onAct }: AppTableProps) {
  const { common, vendor } = useTexts();
  const texts = vendor.apps;
  if (apps.length === 0) return <p class="empty">{texts.none}</p>;
  const columns = [common.name, texts.key, common.status, texts.lastUsed, texts.expires];
  return (
    <Table label={texts.section} columns={isAdmin ? [...columns, common.actions] : columns}>
      {apps.map((app) => (
        <tr key={app.id}>
          <td>{app.clientName}</td>
          <td>
            <code>{app.secretStart}…</code>
          </td>
          <td>
            <AppStatus app={app} />
          </td>
          <td>{app.lastUsedOn === null ? common.never : <Time value={app.lastUsedOn} />}</td>
          <td>
            <Time value={app.expiresOn} />
          </td>
          {isAdmin && (
            <td class="row-actions">
              {statusOf(app) !== 'revoked' && <AppActions app={app} onAct={onAct} />}
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function AppActions({ app, onAct }: { readonly app: ApiClient; readonly onAct: AppTableProps['onAct'] }) {
  const texts = useTexts().vendor.apps;
  return (
    <>
      {(['rotate', 'revoke'] as const).map((dialog) => (
        <button
          key={dialog}
          type="button"
          class="secondary outline small"
          aria-label={`${texts[dialog]}: ${app.clientName}`}
          onClick={() => {
            onAct(dialog, app);
          }}
        >
          {texts[dialog]}
        </button>
      ))}
    </>
  );
}

function statusOf({ revokedOn, expiresOn }: ApiClient): 'revoked' | 'expired' | 'active' {
  // A rotated key is told to end in the future.
  if (revokedOn !== null && Date.parse(revokedOn) <= Date.now()) return 'revoked';
  return Date.parse(expiresOn) <= Date.now() ? 'expired' : 'active';
}

function AppStatus({ app }: { readonly app: ApiClient }) {
  const texts = useTexts().vendor.apps;
  const status = statusOf(app);
  return <Badge tone={status === 'active' ? 'good' : 'calm'}>{texts[status]}</Badge>;
}
