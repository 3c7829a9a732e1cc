import { useDialogs } from '../parts/dialogs.tsx';
import { Badge, Day } from '../parts/facts.tsx';
import { choiceField, type Field, reasonField, textField } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { RowButton, Section } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';

type Organization = Schemas['Organization'];
type LimitName = keyof Schemas['OwnLimits'];

/** All organizations, to suspend one, to set its limits, and to say that the operator knows who it is. */
export function Organizations() {
  const { common, organizations: texts } = useTexts();
  const list = useList('/organizations?limit=50');
  const { suspend, lift } = useSuspensionDialogs(list.reload);
  const changeLimits = useLimitsDialog();
  return (
    <Section title={texts.title}>
      <p class="quiet">{texts.lead}</p>
      <ListTable
        label={texts.title}
        of={list}
        empty={texts.none}
        columns={[
          [common.name, ({ name }) => name, 'head'],
          [common.kind, ({ kind }) => texts.kinds[kind]],
          [common.status, (organization) => <State of={organization} />],
        ]}
        sentence={(organization) => (
          <>
            <strong>{organization.name}</strong>, {texts.kinds[organization.kind]} <State of={organization} />
          </>
        )}
        actions={(organization) => (
          <>
            <RowButton
              text={organization.suspension === null ? texts.suspend : texts.change}
              about={organization.name}
              onClick={() => suspend(organization)}
            />
            {organization.suspension !== null && (
              <RowButton text={texts.lift} about={organization.name} onClick={() => lift(organization)} />
            )}
            <RowButton
              text={texts.limits}
              about={organization.name}
              onClick={() => changeLimits(organization)}
            />
            {organization.kind === 'vendor' && (
              <RowButton
                text={organization.verified ? texts.endVerification : texts.verify}
                about={organization.name}
                onClick={() => verify(organization.id, !organization.verified).then(list.reload)}
              />
            )}
          </>
        )}
      />
    </Section>
  );
}

/** Says whether the operator has checked who a vendor is. What another operator has changed meanwhile stays. */
async function verify(id: string, verified: boolean) {
  const { name, kind, tenantId } = await callApi('GET', `/organizations/${id}`);
  return callApi('PUT', `/organizations/${id}`, { name, kind, tenantId, verified });
}

function State({ of: { kind, suspension, verified } }: { readonly of: Organization }) {
  const { market, organizations: texts } = useTexts();
  return (
    <>
      {suspension === null ? (
        <Badge tone="good">{texts.active}</Badge>
      ) : (
        <>
          <Badge tone="bad">{texts.suspended}</Badge> <Day value={suspension.at} />
          <div>{suspension.reason}</div>
          {kind === 'vendor' && (
            <small>{suspension.farmersKeepAccess ? texts.farmersKeep : texts.farmersLose}</small>
          )}
        </>
      )}{' '}
      {verified && <Badge tone="calm">{market.verified.badge}</Badge>}
    </>
  );
}

/** Returns functions that suspend an organization, or change how, and lift its suspension. */
function useSuspensionDialogs(reload: () => Promise<void>) {
  const { common, organizations: texts } = useTexts();
  const dialogs = useDialogs(reload);
  const suspend = ({ id, name, kind, suspension }: Organization) =>
    dialogs.form({
      title: texts.suspendTitle(name),
      text: texts.suspendText,
      action: suspension === null ? texts.suspend : common.save,
      fields: {
        reason: reasonField({
          ...{ label: common.reason, hint: texts.reasonHint, value: suspension?.reason ?? '' },
        }),
        farmers: choiceField({
          label: texts.farmers,
          options: { keep: texts.farmersKeep, lose: texts.farmersLose },
          value: suspension?.farmersKeepAccess === false ? 'lose' : 'keep',
        }),
      },
      shown: () => (kind === 'vendor' ? ['reason', 'farmers'] : ['reason']),
      submit: ({ reason, farmers }) =>
        callApi('PUT', `/operations/organizations/${id}/suspension`, {
          reason,
          farmersKeepAccess: farmers === 'keep',
        }),
    });
  const lift = ({ id, name }: Organization) =>
    dialogs.confirm({
      title: texts.liftTitle(name),
      text: texts.liftText,
      action: texts.lift,
      isHarmless: true,
      act: () => callApi('DELETE', `/operations/organizations/${id}/suspension`),
    });
  return { suspend, lift };
}

/** Returns what shows and changes the limits of one organization. */
function useLimitsDialog() {
  const { common, organizations: texts } = useTexts();
  const { number } = useFormats();
  const dialogs = useDialogs();
  return async ({ id, name }: Organization) => {
    const path = `/operations/organizations/${id}/limits` as const;
    const { own, inForce } = await callApi('GET', path);
    // The types of Object's functions forget the names.
    const names = Object.keys(texts.limitNames) as LimitName[];
    const fields = Object.fromEntries(
      names.map((limit) => [
        limit,
        textField({
          ...{ type: 'number', min: 1, label: texts.limitNames[limit] },
          hint: own[limit] === undefined ? texts.ofDeployment(number(inForce[limit])) : texts.emptyLimit,
          value: String(own[limit] ?? ''),
        }),
      ]),
    ) as Record<LimitName, Field<string>>;
    dialogs.form({
      title: texts.limitsTitle(name),
      text: texts.limitsText,
      action: common.save,
      fields,
      submit: (values) => {
        const given = names.flatMap((limit) =>
          values[limit] === '' ? [] : [[limit, Number(values[limit])] as const],
        );
        return callApi('PUT', path, Object.fromEntries(given));
      },
    });
  };
}
