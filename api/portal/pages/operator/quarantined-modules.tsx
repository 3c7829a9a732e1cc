import { useDialogs } from '../parts/dialogs.tsx';
import { Time } from '../parts/facts.tsx';
import { reasonField, textField } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { Button, RowButton } from '../parts/page.tsx';
import { callApi, type ItemAt } from '../server/call-api.ts';
import type { ResourceList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { Attention } from './attention.tsx';

interface QuarantinedModulesProps {
  readonly of: ResourceList<ItemAt<'/operations/quarantinedModules'>>;
  /** The name of an organization. */
  readonly nameOf: (organizationId: string) => string;
}

/** The modules that operators have stopped, to stop another one or to lift a quarantine. */
export function QuarantinedModules({ of: list, nameOf }: QuarantinedModulesProps) {
  const { common, quarantine: texts } = useTexts();
  const { start, end } = useQuarantineDialogs(list.reload);
  return (
    <Attention
      title={texts.title}
      of={list}
      empty={texts.none}
      actions={<Button text={texts.start} class="outline" onClick={() => start(null)} />}
    >
      <p class="quiet">{texts.lead}</p>
      <ListTable
        label={common.module}
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
    </Attention>
  );
}

/** Returns functions that stop a module, and lift its quarantine. */
export function useQuarantineDialogs(reload: () => Promise<void>) {
  const { common, quarantine: texts } = useTexts();
  const dialogs = useDialogs();
  /** Stops a module; null: the operator names it. */
  const start = (module: { readonly id: string; readonly name: string } | null) =>
    dialogs.form({
      title: module === null ? texts.start : texts.startTitle(module.name),
      text: texts.startText,
      action: texts.startAction,
      fields: {
        moduleId: textField({
          ...{ label: texts.moduleId, hint: texts.moduleIdHint, required: true, value: module?.id ?? '' },
        }),
        reason: reasonField({ label: common.reason, hint: texts.reasonHint }),
      },
      shown: () => (module === null ? ['moduleId', 'reason'] : ['reason']),
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
