import { useDialogs } from '../parts/dialogs.tsx';
import { Badge, Time } from '../parts/facts.tsx';
import { nameField, OVERLAP_SECONDS, textField, useOverlapField } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { Button, RowButton, Section, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

type App = Schemas['ApiKey'];

/** App Registrations: the API keys of a module's back end. Only the start of a secret is known. */
export function AppRegistrations({ moduleId }: { readonly moduleId: string }) {
  const { common, apps: texts } = useTexts();
  const { id, isAdmin } = useOrganization();
  const list = useList(`/${id}/apiClients/${moduleId}`);
  const { add, rotate, revoke } = useAppDialogs(moduleId, list.reload);
  const latest = latestKeys(list.value ?? []);
  return (
    <Section
      title={texts.section}
      actions={isAdmin && <Button text={texts.add} onClick={add} />}
      lead={texts.lead}
    >
      <ListTable
        label={texts.section}
        of={list}
        empty={texts.none}
        columns={[
          [common.name, ({ clientName }) => clientName],
          [texts.key, ({ secretStart }) => <code>{secretStart}…</code>],
          [
            common.status,
            (app) => (
              <Badge tone={statusOf(app) === 'active' ? 'good' : 'calm'}>{texts[statusOf(app)]}</Badge>
            ),
          ],
          [common.lastUsed, ({ lastUsedOn }) => (lastUsedOn ? <Time value={lastUsedOn} /> : common.never)],
          [texts.expires, ({ expiresOn }) => <Time value={expiresOn} />],
        ]}
        isReadOnly={!isAdmin}
        actions={(app) =>
          latest.includes(app) && (
            <>
              <RowButton text={texts.rotate} about={app.clientName} onClick={() => rotate(app)} />
              <RowButton text={common.revoke} about={app.clientName} onClick={() => revoke(app)} />
            </>
          )
        }
      />
    </Section>
  );
}

/** The newest key of each app that is not revoked, of a list with the newest first: a rotation has replaced the others. */
export function latestKeys(keys: readonly App[]): readonly App[] {
  return keys.filter(
    (key) => key.revokedAt === null && key === keys.find(({ clientId }) => clientId === key.clientId),
  );
}

function statusOf({ revokedAt, expiresOn }: App): 'revoked' | 'expired' | 'active' {
  if (revokedAt !== null) return 'revoked';
  return Date.parse(expiresOn) <= Date.now() ? 'expired' : 'active';
}

/** Returns functions that register an app, rotate its key and revoke it. */
function useAppDialogs(moduleId: string, reload: () => Promise<void>) {
  const { common, apps: texts } = useTexts();
  const { id } = useOrganization();
  const dialogs = useDialogs(reload);
  const addressOf = ({ clientId }: App) => `/${id}/apiClients/${moduleId}/${clientId}` as const;
  const showKey = ({ clientName: about, clientSecret: value }: Schemas['ApiKeyWithSecret']) =>
    dialogs.secret({ ...texts.secret, about, value });
  const add = () =>
    dialogs.form({
      title: texts.add,
      action: texts.add,
      fields: {
        clientName: nameField({ label: common.name, hint: texts.nameHint }),
        expiresOn: textField({ type: 'date', label: texts.expires, hint: texts.expiresHint }),
      },
      submit: async ({ clientName, expiresOn }) => {
        // The start of the day where the reader is, as the list shows it. The API takes a plain day as one in UTC.
        const expiry = expiresOn === '' ? null : new Date(`${expiresOn}T00:00`).toISOString();
        const body = { clientName: clientName.trim() || null, expiresOn: expiry };
        showKey(await callApi('POST', `/${id}/registerApiClient/${moduleId}`, body));
      },
    });
  const overlapField = useOverlapField(texts.overlap);
  const rotate = (app: App) =>
    dialogs.form({
      title: texts.rotateTitle(app.clientName),
      action: texts.rotate,
      fields: { overlap: overlapField },
      submit: async ({ overlap }) => {
        const body = { overlapSeconds: OVERLAP_SECONDS[overlap] };
        showKey(await callApi('POST', `${addressOf(app)}/rotate`, body));
      },
    });
  const revoke = (app: App) =>
    dialogs.confirm({
      title: texts.revokeTitle(app.clientName),
      text: texts.revokeText,
      action: common.revoke,
      act: () => callApi('DELETE', addressOf(app)),
    });
  return { add, rotate, revoke };
}
