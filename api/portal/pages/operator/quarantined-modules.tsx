import { useDialogs } from '../parts/dialogs.tsx';
import { Time } from '../parts/facts.tsx';
import { textField } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { Button, RowButton, Section } from '../parts/page.tsx';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

const MAX_REASON = 2_000;

interface QuarantinedModulesProps {
  /** The name of an organization. */
  readonly nameOf: (organizationId: string) => string;
}

/** The modules that operators have stopped, to stop another one or to lift a quarantine. */
export function QuarantinedModules({ nameOf }: QuarantinedModulesProps) {
  const { common, quarantine: texts } = useTexts();
  const list = useList('/operations/quarantinedModules?limit=100');
  const { start, end } = useQuarantineDialogs(list.reload);
  return (
    <Section title={texts.title} actions={<Button text={texts.start} class="outline" onClick={start} />}>
      <p class="quiet">{texts.lead}</p>
      <ListTable
        label={texts.title}
        of={list}
        empty={texts.none}
        columns={[
          [
            common.module,
            ({ moduleId, scope }) => (
              <>
                {scope !== null && <div>{scope}</div>}
                <code>{moduleId}</code>
              </>
            ),
          ],
          [texts.vendor, ({ organizationId }) => nameOf(organizationId)],
          [common.reason, ({ quarantine }) => quarantine?.reason],
          [common.since, ({ quarantine }) => quarantine && <Time value={quarantine.at} />],
        ]}
        actions={({ moduleId, scope }) => (
          <RowButton text={texts.end} about={scope ?? moduleId} onClick={() => end(moduleId)} />
        )}
      />
    </Section>
  );
}

/** Returns functions that stop a module, and lift its quarantine. */
function useQuarantineDialogs(reload: () => Promise<void>) {
  const { common, quarantine: texts } = useTexts();
  const dialogs = useDialogs();
  const start = () =>
    dialogs.form({
      title: texts.start,
      text: texts.startText,
      action: texts.startAction,
      fields: {
        moduleId: textField({ label: texts.moduleId, hint: texts.moduleIdHint, required: true }),
        reason: textField({
          ...{ type: 'lines', label: common.reason, hint: texts.reasonHint },
          ...{ required: true, maxLength: MAX_REASON },
        }),
      },
      submit: ({ moduleId, reason }) => {
        const wanted = encodeURIComponent(moduleId.trim());
        return callApi('POST', `/operations/modules/${wanted}/quarantine`, { reason });
      },
      reload,
    });
  const end = (moduleId: string) =>
    dialogs.confirm({
      title: texts.endTitle,
      text: texts.endText,
      action: texts.end,
      isHarmless: true,
      act: () => callApi('DELETE', `/operations/modules/${moduleId}/quarantine`),
      reload,
    });
  return { start, end };
}
