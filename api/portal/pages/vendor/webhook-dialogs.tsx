import { useOrganization } from '../organization.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { Checkbox, type Field, OVERLAP_SECONDS, textField, useOverlapField } from '../parts/fields.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Webhook = Schemas['Webhook'];
type EventTypes = Webhook['types'];

/** What a vendor decides for a webhook. */
type WebhookSettings = Pick<Webhook, 'url' | 'description' | 'types'>;

const NEW: WebhookSettings = { url: '', description: null, types: null };
const MAX_URL = 2_048;
const MAX_DESCRIPTION = 200;

/** Returns what opens the dialogs about a module's webhooks: to add one, change it, make new keys for it, and delete it. */
export function useWebhookDialogs(moduleId: string, reload: () => Promise<unknown>) {
  const { id } = useOrganization();
  const path = `/${id}/webhooks/${moduleId}` as const;
  const { common, webhooks: texts } = useTexts();
  const dialogs = useDialogs();
  const settingsForm = useSettingsForm();
  const overlapField = useOverlapField(texts.overlap);
  const showSecret = ({ url: about, secret: value }: Schemas['WebhookWithSecret']) =>
    dialogs.secret({ ...texts.secret, about, value });
  const add = () =>
    dialogs.form({
      title: texts.add,
      action: texts.add,
      ...settingsForm(NEW),
      submit: async (settings) => showSecret(await callApi('POST', path, bodyOf(settings))),
      reload,
    });
  const edit = (webhook: Webhook) =>
    dialogs.form({
      title: texts.editTitle,
      action: common.save,
      ...settingsForm(webhook),
      submit: (settings) => callApi('PATCH', `${path}/${webhook.id}`, bodyOf(settings)),
      reload,
    });
  const rotate = (webhook: Webhook) =>
    dialogs.form({
      title: texts.rotateTitle,
      action: texts.rotate,
      fields: { overlap: overlapField },
      submit: async ({ overlap }) => {
        const body = { overlapSeconds: OVERLAP_SECONDS[overlap] };
        showSecret(await callApi('POST', `${path}/${webhook.id}/rotate`, body));
      },
      reload,
    });
  const remove = (webhook: Webhook) =>
    dialogs.confirm({
      title: texts.removeTitle,
      about: webhook.url,
      text: texts.removeText,
      action: common.delete,
      act: () => callApi('DELETE', `${path}/${webhook.id}`),
      reload,
    });
  return { add, edit, rotate, remove };
}

/** What is sent: a description that is empty is none. */
function bodyOf({ url, description, types }: FilledIn) {
  return { url: url.trim(), description: description.trim() || null, types };
}

type FilledIn = WebhookSettings & { readonly description: string };

/** Returns the fields of a webhook: where it is, and which events it gets. */
function useSettingsForm() {
  const { common, webhooks: texts } = useTexts();
  return ({ url, description, types }: WebhookSettings) => ({
    fields: {
      url: textField({
        ...{ label: texts.url, hint: texts.urlHint, value: url },
        ...{ required: true, maxLength: MAX_URL },
      }),
      description: textField({
        ...{ label: common.description, hint: texts.descriptionHint, value: description ?? '' },
        maxLength: MAX_DESCRIPTION,
      }),
      types: eventField(types),
    },
    isReady: ({ types: chosen }: FilledIn) => chosen?.length !== 0,
  });
}

function eventField(initial: EventTypes): Field<EventTypes> {
  return { initial, show: (types, onChange) => <EventFields {...{ types, onChange }} /> };
}

interface EventFieldsProps {
  readonly types: EventTypes;
  readonly onChange: (types: EventTypes) => void;
}

/** Which events: all, also later ones, or some. */
function EventFields({ types, onChange }: EventFieldsProps) {
  const texts = useTexts().webhooks;
  const events: Readonly<Record<NonNullable<EventTypes>[number], string>> = texts.events;
  const isType = (name: string): name is keyof typeof events => name in events;
  const all = Object.keys(events).filter(isType);
  return (
    <fieldset>
      <legend>{texts.types}</legend>
      <Checkbox checked={types === null} onChange={(isAll) => onChange(isAll ? null : all)}>
        {texts.allTypes}
      </Checkbox>
      {types !== null &&
        all.map((type) => (
          <Checkbox
            key={type}
            checked={types.includes(type)}
            onChange={(isChosen) =>
              onChange(all.filter((each) => (each === type ? isChosen : types.includes(each))))
            }
            hint={events[type]}
          >
            <code>{type}</code>
          </Checkbox>
        ))}
      {types?.length === 0 && <p role="alert">{texts.chooseType}</p>}
    </fieldset>
  );
}
