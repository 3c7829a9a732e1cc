import { useDialogs } from '../parts/dialogs.tsx';
import { Facts } from '../parts/facts.tsx';
import { choiceField } from '../parts/fields.tsx';
import { Loaded } from '../parts/lists.tsx';
import { Button, PageHead, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';

type Settings = Schemas['NotificationSettings'];

/** How the reader is mailed the alerts of a farm. */
export function NotificationsPage() {
  const { common, notifications: texts } = useTexts();
  const { id } = useOrganization();
  const settings = useResource(`/${id}/notificationSettings`);
  const change = useChange(settings.reload);
  const { value } = settings;
  return (
    <>
      <PageHead title={common.pages.notifications} lead={texts.lead}>
        {value !== null && value.address !== null && (
          <Button text={texts.change} onClick={() => change(value)} />
        )}
      </PageHead>
      <Loaded of={settings}>{(body) => <SettingsView settings={body} />}</Loaded>
    </>
  );
}

function SettingsView({ settings }: { readonly settings: Settings }) {
  const texts = useTexts().notifications;
  const { info, warning, critical, quietHours, address, mail, bounce } = settings;
  return (
    <>
      {mail === 'off' && <p class="note warn">{texts.off}</p>}
      {address === null && <p class="note warn">{texts.unverified}</p>}
      {bounce !== null && <p class="note warn">{texts.bounced(address ?? '', bounce.smtpStatus)}</p>}
      <Facts
        of={[
          [texts.severity.critical, texts.times[critical.mail]],
          [texts.severity.warning, texts.times[warning.mail]],
          [texts.severity.info, texts.times[info.mail]],
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

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

/** Returns the function that opens the form of the settings. */
function useChange(reload: () => Promise<void>): (settings: Settings) => void {
  const { common, notifications: texts } = useTexts();
  const { id } = useOrganization();
  const language = useLanguage();
  const dialogs = useDialogs();
  return ({ info, warning, critical, quietHours }) => {
    const time = (label: string, value: string, first: Readonly<Record<string, string>> = {}) => {
      const clocks = [...new Set([...HOURS, ...(value in first ? [] : [value])])].toSorted();
      const options = { ...first, ...Object.fromEntries(clocks.map((clock) => [clock, clock])) };
      return choiceField<string>({ label, options, value });
    };
    const mail = (severity: keyof typeof texts.severity, value: Settings['info']['mail']) =>
      choiceField({ label: texts.severity[severity], options: texts.times, value });
    dialogs.form({
      title: texts.change,
      action: common.save,
      fields: {
        critical: mail('critical', critical.mail),
        warning: mail('warning', warning.mail),
        info: mail('info', info.mail),
        from: time(texts.quietFrom, quietHours?.from ?? '', { '': texts.noQuietHours }),
        to: time(texts.quietTo, quietHours?.to ?? '06:00'),
      },
      shown: ({ from }) => ['critical', 'warning', 'info', 'from', ...(from === '' ? [] : (['to'] as const))],
      isReady: ({ from, to }) => from !== to,
      submit: (values) =>
        callApi('PUT', `/${id}/notificationSettings`, {
          critical: { mail: values.critical },
          warning: { mail: values.warning },
          info: { mail: values.info },
          quietHours:
            values.from === '' ? null : { from: values.from, to: values.to, timeZone: ownTimeZone() },
          language,
        }),
      reload,
    });
  };
}

function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
