import { useDialogs } from '../parts/dialogs.tsx';
import { choiceField, reasonField } from '../parts/fields.tsx';
import { RowButton, useOrganization } from '../parts/page.tsx';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

interface ReportButtonProps {
  readonly module: { readonly id: string; readonly name: string };
}

/** What became of the farm's last report of a module; an administrator can report it to the operators. */
export function ReportButton({ module }: ReportButtonProps) {
  const texts = useTexts().reviews;
  const { id, isAdmin } = useOrganization();
  const path = `/${id}/availableModules/${module.id}/reports` as const;
  const reports = useList(`${path}?limit=1`);
  const dialogs = useDialogs(reports.reload);
  const [last] = reports.value ?? [];
  const report = () =>
    dialogs.form({
      title: texts.reportTitle(module.name),
      text: texts.reportText,
      action: texts.send,
      fields: {
        reason: choiceField({ label: texts.about, options: texts.reasons, value: 'misleading' }),
        text: reasonField({ label: texts.text }),
      },
      submit: async (body) => {
        await callApi('POST', path, body);
        dialogs.note({ title: texts.sent, content: <p>{texts.sentText}</p> });
      },
    });
  if (last?.decision === null) return <p class="quiet">{texts.waits}</p>;
  return (
    <>
      {last !== undefined && (
        <p class="quiet">
          {texts.lastReport(texts.decided[last.decision])} {last.decisionReason}
        </p>
      )}
      {isAdmin && reports.value !== null && <RowButton text={texts.report} onClick={report} />}
    </>
  );
}
