import { Checkbox, TextField } from '../parts/fields.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';

/** What a vendor decides for a webhook. */
export type WebhookSettings = Pick<Schemas['Webhook'], 'url' | 'description' | 'types'>;

type EventType = NonNullable<WebhookSettings['types']>[number];

interface WebhookFieldsProps {
  readonly settings: WebhookSettings;
  readonly onChange: (settings: WebhookSettings) => void;
}

const MAX_URL = 2_048;
const MAX_DESCRIPTION = 200;

/** The fields of a webhook: where it is, and which events it gets. */
export function WebhookFields({ settings, onChange }: WebhookFieldsProps) {
  const texts = useTexts().webhooks;
  const set = (change: Partial<WebhookSettings>) => onChange({ ...settings, ...change });
  return (
    <>
      <TextField
        {...{ type: 'text', label: texts.url, hint: texts.urlHint, value: settings.url }}
        onInput={(url) => set({ url })}
        required
        maxLength={MAX_URL}
        autocomplete="off"
      />
      <TextField
        {...{ type: 'text', label: texts.description, hint: texts.descriptionHint }}
        value={settings.description ?? ''}
        onInput={(description) => set({ description })}
        maxLength={MAX_DESCRIPTION}
        autocomplete="off"
      />
      <EventFields types={settings.types} onChange={(types) => set({ types })} />
    </>
  );
}

interface EventFieldsProps {
  readonly types: WebhookSettings['types'];
  readonly onChange: (types: WebhookSettings['types']) => void;
}

/** Which events: all, also later ones, or some. */
function EventFields({ types, onChange }: EventFieldsProps) {
  const texts = useTexts().webhooks;
  const events: Readonly<Record<EventType, string>> = texts.events;
  const isType = (name: string): name is EventType => name in events;
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
          >
            <span>
              <code>{type}</code>
              <small>{events[type]}</small>
            </span>
          </Checkbox>
        ))}
      {types?.length === 0 && <p role="alert">{texts.chooseType}</p>}
    </fieldset>
  );
}
