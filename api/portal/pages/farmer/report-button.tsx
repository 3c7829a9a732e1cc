import { useDialogs } from '../parts/dialogs.tsx';
import { choiceField, reasonField } from '../parts/fields.tsx';
import { RowButton, useOrganization } from '../parts/page.tsx';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface ReportButtonProps {
  readonly module: { readonly id: string; readonly name: string };
}

/** Lets an administrator report a module to the operators. */
export function ReportButton({ module }: ReportButtonProps) {
  const texts = useTexts().reviews;
  const { id, isAdmin } = useOrganization();
  const dialogs = useDialogs();
  if (!isAdmin) return null;
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
        await callApi('POST', `/${id}/availableModules/${module.id}/reports`, body);
        dialogs.note({ title: texts.sent, content: <p>{texts.sentText}</p> });
      },
      reload: () => Promise.resolve(),
    });
  return <RowButton text={texts.report} onClick={report} />;
}
