import { useState } from 'preact/hooks';
import { useDialogs } from '../parts/dialogs.tsx';
import { Badge, Facts, Time } from '../parts/facts.tsx';
import { choiceField, type Field } from '../parts/fields.tsx';
import { ListTable, Loaded } from '../parts/lists.tsx';
import { Button, PageHead, RowButton, Section, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { readPushHere } from '../server/push.ts';
import { useList, useRead, useResource } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';

type Settings = Schemas['NotificationSettings'];
type Severity = (typeof SEVERITIES)[number];

/** How the reader is notified of the alerts of a farm. */
export function NotificationsPage() {
  const { common, notifications: texts } = useTexts();
  const { id } = useOrganization();
  const settings = useResource(`/${id}/notificationSettings`);
  const change = useChange(settings.reload);
  const { value } = settings;
  return (
    <>
      <PageHead title={common.pages.notifications} lead={texts.lead}>
        {value !== null && <Button text={texts.change} onClick={() => change(value)} />}
      </PageHead>
      <Loaded of={settings}>
        {(body) => (
          <>
            <SettingsView settings={body} />
            <Browsers publicKey={body.pushKey} />
          </>
        )}
      </Loaded>
    </>
  );
}

function SettingsView({ settings }: { readonly settings: Settings }) {
  const texts = useTexts().notifications;
  const { quietHours, address, mail, bounce } = settings;
  const times = ({ mail: byMail, push }: Settings['info']) => `${texts.mail[byMail]} · ${texts.push[push]}`;
  return (
    <>
      {mail === 'off' && <p class="note warn">{texts.off}</p>}
      {address === null && <p class="note warn">{texts.unverified}</p>}
      {bounce !== null && <p class="note warn">{texts.bounced(address ?? '', bounce.smtpStatus)}</p>}
      <Facts
        of={[
          ...SEVERITIES.map((severity) => [texts.severity[severity], times(settings[severity])] as const),
          [
            texts.quietHours,
            quietHours === null
              ? texts.noQuietHours
              : texts.between(quietHours.from, quietHours.to, quietHours.timeZone),
          ],
          [texts.address, address],
        ]}
      />
      <p class="quiet">{texts.hint}</p>
    </>
  );
}

const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** Returns the browsers that notify the reader, whether this one does or can, and what turns it on. */
function useBrowsers(publicKey: string) {
  const { id } = useOrganization();
  const language = useLanguage();
  const list = useList(`/${id}/pushSubscriptions`);
  const here = useRead('push here', readPushHere);
  const [isRefused, setRefused] = useState(false);
  const { state = null, endpoint = null } = here.value ?? {};
  const isOff = list.value !== null && !list.value.some((each) => each.endpoint === endpoint);
  const turnOn = async () => {
    setRefused(false);
    const { subscribeHere } = await import('../server/subscribe-here.ts');
    setRefused(!(await subscribeHere(id, publicKey, language)));
    await Promise.all([here.reload(), list.reload()]);
  };
  return { list, state, endpoint, isRefused, isOff, turnOn };
}

/** The browsers that notify the reader, and whether this one does. */
function Browsers({ publicKey }: { readonly publicKey: string }) {
  const { common, notifications: texts, sessions } = useTexts();
  const { id } = useOrganization();
  const { list, state, endpoint, isRefused, isOff, turnOn } = useBrowsers(publicKey);
  const nameOf = (each: Schemas['PushSubscription']) => (
    <>
      {sessions.device(each)} {each.endpoint === endpoint && <Badge tone="good">{common.thisOne}</Badge>}
    </>
  );
  return (
    <Section
      title={texts.browsers}
      lead={texts.browsersLead}
      actions={state === 'possible' && isOff && <Button text={texts.turnOn} onClick={turnOn} />}
    >
      {state !== null && state !== 'possible' && <p class="note warn">{texts[state]}</p>}
      <div role="status">{isRefused && <p class="note warn">{texts.refused}</p>}</div>
      <ListTable
        label={texts.browsers}
        of={list}
        empty={texts.noBrowsers}
        columns={[
          [common.browser, nameOf],
          [texts.addedAt, ({ createdAt }) => <Time value={createdAt} />],
        ]}
        sentence={(each) => (
          <>
            {nameOf(each)} {texts.addedAt}: <Time value={each.createdAt} />
          </>
        )}
        actions={(each) => (
          <RowButton
            text={common.remove}
            about={sessions.device(each)}
            onClick={() => callApi('DELETE', `/${id}/pushSubscriptions/${each.id}`).then(list.reload)}
          />
        )}
      />
    </Section>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

/** Returns the function that opens the form of the settings. */
function useChange(reload: () => Promise<void>): (settings: Settings) => void {
  const { common, notifications: texts } = useTexts();
  const { id } = useOrganization();
  const language = useLanguage();
  const dialogs = useDialogs(reload);
  return ({ info, warning, critical, quietHours, address }) => {
    const time = (label: string, value: string, first: Readonly<Record<string, string>> = {}) => {
      const clocks = [...new Set([...HOURS, ...(value in first ? [] : [value])])].toSorted();
      const options = { ...first, ...Object.fromEntries(clocks.map((clock) => [clock, clock])) };
      return choiceField<string>({ label, options, value });
    };
    const ways = (severity: Severity, initial: Settings['info']): Field<Settings['info']> => {
      const name = texts.severity[severity];
      const mail = choiceField({ label: texts.byMail(name), options: texts.mail, value: initial.mail });
      const push = choiceField({ label: texts.byPush(name), options: texts.push, value: initial.push });
      return {
        initial,
        show: (value, change) => (
          <>
            {address !== null && mail.show(value.mail, (byMail) => change({ ...value, mail: byMail }))}
            {push.show(value.push, (inBrowsers) => change({ ...value, push: inBrowsers }))}
          </>
        ),
      };
    };
    dialogs.form({
      title: texts.change,
      action: common.save,
      fields: {
        critical: ways('critical', critical),
        warning: ways('warning', warning),
        info: ways('info', info),
        from: time(texts.quietFrom, quietHours?.from ?? '', { '': texts.noQuietHours }),
        to: time(texts.quietTo, quietHours?.to ?? '06:00'),
      },
      shown: ({ from }) => [...SEVERITIES, 'from', ...(from === '' ? [] : (['to'] as const))],
      isReady: ({ from, to }) => from !== to,
      submit: ({ from, to, ...bySeverity }) =>
        callApi('PUT', `/${id}/notificationSettings`, {
          ...bySeverity,
          quietHours: from === '' ? null : { from, to, timeZone: ownTimeZone() },
          language,
        }),
    });
  };
}

function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
