import { type ComponentChildren, createContext, Fragment } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';
import { useTexts } from '../texts/language.ts';
import { Dialog, FormDialog } from './dialog.tsx';
import type { Field } from './fields.tsx';
import { Button } from './page.tsx';

/** Opens dialogs over the page; one at a time. */
interface Dialogs {
  /** A dialog of the page's own, which is given what closes it. */
  open(content: (close: () => void) => ComponentChildren): void;
  /** A question before something is done. */
  confirm(question: Question): void;
  /** Fields to fill in. A form with the secret that it made calls `secret` before it ends. */
  form<Values extends object>(form: Form<Values>): void;
  /** A secret that is shown once. */
  secret(secret: Secret): void;
}

interface Question {
  readonly title: string;
  /** What it is about, such as a name. */
  readonly about?: string | null;
  readonly text: ComponentChildren;
  /** Text of the button that does it. */
  readonly action: string;
  /** It can be undone: Cancel does not have the focus. */
  readonly isHarmless?: boolean;
  readonly act: () => Promise<unknown>;
  /** Reads what it changed again, before the dialog closes. */
  readonly reload: () => Promise<unknown>;
}

interface Form<Values> {
  readonly title: string;
  readonly text?: string;
  /** Text of the button that submits the form. */
  readonly action: string;
  readonly fields: { readonly [Name in keyof Values]: Field<Values[Name]> };
  /** The fields that are shown; without it all. */
  readonly shown?: (values: Values) => readonly (keyof Values & string)[];
  /** What is shown below the fields. */
  readonly below?: (values: Values) => ComponentChildren;
  readonly isReady?: (values: Values) => boolean;
  readonly submit: (values: Values) => Promise<unknown>;
  /** Reads what it changed again, before the dialog closes. */
  readonly reload: () => Promise<unknown>;
}

interface Secret {
  readonly title: string;
  /** The owner of the secret; null: none in particular. */
  readonly about: string | null;
  readonly warning: string;
  readonly label: string;
  readonly value: string;
  /** Text of the button that closes the dialog. */
  readonly close: string;
}

interface Opened {
  readonly number: number;
  readonly content: ComponentChildren;
}

const DialogContext = createContext<Dialogs | null>(null);

/** Returns what opens dialogs over the page. */
export function useDialogs(): Dialogs {
  const dialogs = useContext(DialogContext);
  if (dialogs === null) throw new Error('this page has no dialog host');
  return dialogs;
}

/** A page, and the dialog that is open over it. */
export function DialogHost({ children }: { readonly children: ComponentChildren }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const dialogs = useMemo(() => dialogsOf(setOpened), []);
  return (
    <DialogContext.Provider value={dialogs}>
      {children}
      {opened !== null && <Fragment key={opened.number}>{opened.content}</Fragment>}
    </DialogContext.Provider>
  );
}

function dialogsOf(change: (next: (now: Opened | null) => Opened | null) => void): Dialogs {
  let count = 0;
  const open: Dialogs['open'] = (content) => {
    const number = (count += 1);
    // A dialog that ends after another one was opened does not close that one.
    const close = () => change((now) => (now?.number === number ? null : now));
    change(() => ({ number, content: content(close) }));
  };
  return {
    open,
    confirm: (question) => open((onClose) => <QuestionDialog {...question} onClose={onClose} />),
    form: (form) => open((onClose) => <FieldsDialog form={form} onClose={onClose} />),
    secret: (secret) => open((onClose) => <SecretDialog {...secret} onClose={onClose} />),
  };
}

interface Closing {
  readonly onClose: () => void;
}

function QuestionDialog({ about = null, text, isHarmless = false, act, ...form }: Question & Closing) {
  return (
    <FormDialog {...form} isDangerous={!isHarmless} onSubmit={act}>
      {about !== null && <p>{about}</p>}
      <p>{text}</p>
    </FormDialog>
  );
}

interface FieldsDialogProps<Values> extends Closing {
  readonly form: Form<Values>;
}

function FieldsDialog<Values extends object>({ form, onClose }: FieldsDialogProps<Values>) {
  const { title, action, text, fields, shown, below, isReady, submit, reload } = form;
  // The types of Object's functions forget the names.
  const names = Object.keys(fields) as (keyof Values & string)[];
  const [values, setValues] = useState(
    () => Object.fromEntries(names.map((name) => [name, fields[name].initial])) as Values,
  );
  const show = (name: keyof Values) =>
    fields[name].show(values[name], (value) => setValues((before) => ({ ...before, [name]: value })));
  return (
    <FormDialog
      {...{ title, action, reload, onClose }}
      isReady={isReady?.(values) ?? true}
      onSubmit={() => submit(values)}
    >
      {text !== undefined && <p>{text}</p>}
      {(shown?.(values) ?? names).map((name) => (
        <Fragment key={name}>{show(name)}</Fragment>
      ))}
      {below?.(values)}
    </FormDialog>
  );
}

/** Escape does not close it: pressed by accident, it would lose the secret. */
function SecretDialog({ title, about, warning, label, value, close, onClose }: Secret & Closing) {
  const { common } = useTexts();
  const copy = () => navigator.clipboard.writeText(value);
  return (
    <Dialog title={title} onClose={null}>
      {about !== null && <p>{about}</p>}
      <p class="note warn">{warning}</p>
      <label>
        {label}
        <input
          class="secret"
          readOnly
          value={value}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      </label>
      <p>
        <Button text={common.copy} done={common.copied} class="outline" onClick={copy} />
      </p>
      <footer>
        <Button text={close} onClick={onClose} />
      </footer>
    </Dialog>
  );
}
