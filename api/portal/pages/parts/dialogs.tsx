import { type ComponentChildren, createContext, Fragment } from 'preact';
import { useContext, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { useTexts } from '../texts/language.ts';
import { Dialog } from './dialog.tsx';
import type { Field } from './fields.tsx';
import { Button, ProblemNote, useAction } from './page.tsx';

/** Opens dialogs over the page; one at a time. */
interface Dialogs {
  /** A question before something is done. */
  confirm(question: Question): void;
  /** Fields to fill in. A form with the secret that it made calls `secret` before it ends. */
  form<Values extends object>(form: Form<Values>): void;
  /** A secret that is shown once. */
  secret(secret: Secret): void;
  /** Something to read. */
  note(note: Note): void;
}

interface Question {
  readonly title: string;
  /** Its subject, such as a name. */
  readonly about?: string | null;
  readonly text?: ComponentChildren;
  /** Text of the button that does it. */
  readonly action: string;
  /** It can be undone: Cancel does not have the focus. */
  readonly isHarmless?: boolean;
  readonly act: () => Promise<unknown>;
}

interface Form<Values> extends Omit<Question, 'act' | 'action'> {
  /** Text of the button that submits it; it may depend on what is filled in. */
  readonly action: string | ((values: Values) => string);
  readonly fields: { readonly [Name in keyof Values]: Field<Values[Name]> };
  /** The fields that are shown; without it all. */
  readonly shown?: (values: Values) => readonly (keyof Values & string)[];
  /** What is shown below the fields. */
  readonly below?: (values: Values) => ComponentChildren;
  readonly isReady?: (values: Values) => boolean;
  readonly submit: (values: Values) => Promise<unknown>;
}

interface Secret {
  readonly title: string;
  /** The owner of the secret; null: none in particular. */
  readonly about: string | null;
  readonly warning: string;
  readonly label: string;
  /** Null in answers to repeats, which no page sends. */
  readonly value: string | null;
  /** Text of the button that closes the dialog. */
  readonly close: string;
}

interface Note {
  readonly title: string;
  readonly content: ComponentChildren;
}

interface Opened {
  readonly number: number;
  readonly content: ComponentChildren;
}

/** Opens a dialog with a content, which closes it. */
type Open = (content: (onClose: () => void) => ComponentChildren) => void;

const DialogContext = createContext<Open | null>(null);

/** Returns the functions that open dialogs over the page; `reload` reads again what one changed, before it closes. */
export function useDialogs(reload?: () => Promise<unknown>): Dialogs {
  const open = useContext(DialogContext);
  if (open === null) throw new Error('this page has no dialog host');
  return {
    confirm: (question) => open((onClose) => <FormDialog {...question} {...{ reload, onClose }} />),
    form: (form) => open((onClose) => <FieldsDialog {...form} {...{ reload, onClose }} />),
    secret: (secret) => open((onClose) => <SecretDialog {...secret} onClose={onClose} />),
    note: (note) => open((onClose) => <NoteDialog {...note} onClose={onClose} />),
  };
}

/** A page, and the dialog that is open over it. */
export function DialogHost({ children }: { readonly children: ComponentChildren }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const open = useMemo(() => openerOf(setOpened), []);
  useFocusAfterwards(opened !== null);
  return (
    <DialogContext.Provider value={open}>
      {children}
      {opened !== null && <Fragment key={opened.number}>{opened.content}</Fragment>}
    </DialogContext.Provider>
  );
}

/**
 * Returns the focus where the browser cannot: it was lost with the first of two dialogs, or with an opener that what was
 * done has replaced. Then the heading of the page gets it.
 */
function useFocusAfterwards(isOpen: boolean): void {
  // A layout effect: it comes before the dialog takes the focus.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const opener = document.activeElement;
    return () => {
      if (document.activeElement !== document.body) return;
      const target = opener?.isConnected === true ? opener : document.querySelector('h1');
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    };
  }, [isOpen]);
}

function openerOf(change: (next: (now: Opened | null) => Opened | null) => void): Open {
  let count = 0;
  return (content) => {
    const number = (count += 1);
    // A dialog that ends after another one was opened does not close that one.
    const close = () => change((now) => (now?.number === number ? null : now));
    change(() => ({ number, content: content(close) }));
  };
}

interface Closing {
  readonly onClose: () => void;
}

interface Acting extends Closing {
  readonly reload: (() => Promise<unknown>) | undefined;
}

interface FormDialogProps extends Question, Acting {
  readonly isReady?: boolean;
  readonly children?: ComponentChildren;
}

/** A form in a dialog: Enter submits it, Escape closes it, and it shows why a call failed. */
function FormDialog(props: FormDialogProps) {
  const { title, about = null, text, action, isHarmless = false, isReady = true, children } = props;
  const { act, reload, onClose } = props;
  const { common } = useTexts();
  const { isBusy, error, run } = useAction();
  const submit = async () => {
    await act();
    await reload?.();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(submit);
        }}
      >
        {about !== null && <p>{about}</p>}
        {text !== undefined && <p>{text}</p>}
        {children}
        <ProblemNote error={error} />
        <footer>
          <button type="button" class="secondary outline" onClick={onClose} autofocus={!isHarmless}>
            {common.cancel}
          </button>
          <button
            type="submit"
            class={isHarmless ? undefined : 'danger'}
            aria-busy={isBusy}
            disabled={isBusy || !isReady}
          >
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function FieldsDialog<Values extends object>(form: Form<Values> & Acting) {
  const { fields, action, shown, below, isHarmless = true, isReady, submit } = form;
  // The types of Object's functions forget the names.
  const names = Object.keys(fields) as (keyof Values & string)[];
  const [values, setValues] = useState(
    () => Object.fromEntries(names.map((name) => [name, fields[name].initial])) as Values,
  );
  const show = (name: keyof Values) =>
    fields[name].show(values[name], (value) => setValues((before) => ({ ...before, [name]: value })));
  return (
    <FormDialog
      {...form}
      isHarmless={isHarmless}
      action={typeof action === 'string' ? action : action(values)}
      isReady={isReady?.(values) ?? true}
      act={() => submit(values)}
    >
      {(shown?.(values) ?? names).map((name) => (
        <Fragment key={name}>{show(name)}</Fragment>
      ))}
      {below?.(values)}
    </FormDialog>
  );
}

function NoteDialog({ title, content, onClose }: Note & Closing) {
  const { common } = useTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      {content}
      <footer>
        <Button text={common.close} onClick={onClose} />
      </footer>
    </Dialog>
  );
}

/** Escape does not close it: pressed by accident, it would lose the secret. */
function SecretDialog({ title, about, warning, label, value, close, onClose }: Secret & Closing) {
  const { common } = useTexts();
  const copy = () => navigator.clipboard.writeText(value ?? '');
  return (
    <Dialog title={title} onClose={null}>
      {about !== null && <p>{about}</p>}
      <p class="note warn">{warning}</p>
      <label>
        {label}
        <input
          class="secret"
          readOnly
          value={value ?? ''}
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
