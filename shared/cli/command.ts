import { InvalidArgumentError, Option, type Command as Parent } from 'commander';
import type { Output } from './output.ts';
import { sayPage } from './portal-page.ts';
import { openVendor, SERVER_FLAGS, type ServerFlags, type VendorSession } from './server.ts';
import type { Cli } from './settings.ts';

type KnownArgs = Readonly<Record<string, string | undefined>>;

/** How the text of an argument or a flag is described and read. */
interface Reading {
  readonly text: string;
  /** @throws InvalidArgumentError */
  readonly read?: (text: string) => unknown;
  /** Of an argument: finds the ID of what the text names. The arguments before it are known. */
  readonly find?: (session: VendorSession, text: string, known: KnownArgs) => Promise<string>;
  /** Each use of the flag adds a text. */
  readonly isRepeated?: true;
  /** The flags that cannot be used with it. */
  readonly conflicts?: readonly string[];
}

/** Arguments by the names under which `call` gets them. */
type Args = Readonly<Record<string, Reading & { readonly usage: string }>>;
/** Flags by their usage, such as `--json` or `--name <text>`. */
type Flags = Readonly<Record<string, string | Reading>>;

type CamelCase<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;
type NameOf<Usage> = Usage extends `${string}--no-${infer Name}`
  ? CamelCase<Name>
  : Usage extends `${string}--${infer Name} <${string}`
    ? CamelCase<Name>
    : Usage extends `${string}--${infer Name}`
      ? CamelCase<Name>
      : never;
type ValueOf<Spec> = Spec extends { readonly read: (text: string) => infer Value }
  ? Value
  : Spec extends { readonly isRepeated: true }
    ? readonly string[]
    : string;

type GivenArgs<Known> = {
  readonly [Name in keyof Known]:
    ValueOf<Known[Name]> | (Known[Name] extends { readonly usage: `[${string}` } ? undefined : never);
};
/** The flags of a command line, by their names. */
export type GivenFlags<Known> = {
  readonly [Usage in keyof Known as NameOf<Usage>]?: Usage extends `${string}<${string}`
    ? ValueOf<Known[Usage]>
    : boolean;
};
/** The input of a command: each argument and flag by its name. */
type Given<A, F> = GivenArgs<A> & GivenFlags<F>;

interface Definition<A, F, Context, Result> {
  readonly name: string;
  /** For the list of commands; by default the description. */
  readonly summary?: string;
  readonly description: string;
  readonly args?: A;
  readonly flags?: F;
  /** The help text after the flags. */
  readonly note?: string;
  readonly commands?: readonly AddCommand[];
  /** Undefined: it has only commands of its own. */
  call?(context: Context, given: Given<A, F>): Promise<Result>;
  /** The page of the portal that shows what the command made or changed, below that of the organization. */
  page?(given: GivenArgs<A>): string;
  /** Shows the result to a person; with `--json` it is output as JSON instead. */
  show?(result: Result, context: Context, given: Given<A, F>): void | Promise<void>;
}

/** A session of the vendor, with the parameters of paths: the organization and the arguments. */
interface Vendor<A> extends VendorSession {
  readonly cli: Cli;
  readonly output: Output;
  readonly path: { readonly orgId: string } & GivenArgs<A>;
}

/** Adds a command to the program, or to another command. */
export type AddCommand = (parent: Parent, cli: Cli) => void;

/** A command that opens what it needs. */
export function command<const A extends Args, const F extends Flags, Result>(
  definition: Definition<A, F, Cli, Result>,
): AddCommand {
  return addCommand(definition, definition.flags ?? {}, (cli) => Promise.resolve(cli));
}

/** A command that has only commands of its own. */
export function commandGroup(name: string, summary: string, commands: readonly AddCommand[]): AddCommand {
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return command({ name, summary, description, commands });
}

/** A command that calls the server for the vendor's organization. */
export function vendorCommand<const A extends Args, const F extends Flags, Result>(
  definition: Definition<A, F, Vendor<A>, Result>,
): AddCommand {
  const open = async (cli: Cli, built: Parent) => {
    const session = await openVendor(cli, built.opts<ServerFlags>());
    for (const [name, { find }] of Object.entries<Reading>(definition.args ?? {})) {
      const known = built.opts<KnownArgs>();
      const text = known[name];
      if (find !== undefined && text !== undefined)
        built.setOptionValue(name, await find(session, text, known));
    }
    const path = { orgId: session.orgId, ...built.opts<GivenArgs<A>>() };
    return { ...session, cli, output: cli.output, path };
  };
  return addCommand(definition, { ...definition.flags, ...SERVER_FLAGS }, open, async (vendor) => {
    if (definition.page !== undefined) await sayPage(vendor, definition.page(vendor.path), vendor.output);
  });
}

function addCommand<A extends Args, F extends Flags, Context extends { readonly output: Output }, Result>(
  definition: Definition<A, F, Context, Result>,
  flags: Flags,
  open: (cli: Cli, built: Parent) => Promise<Context>,
  finish: (context: Context) => Promise<void> = () => Promise.resolve(),
): AddCommand {
  return (parent, cli) => {
    const { call, show } = definition;
    const built = build(parent, cli, definition, flags);
    if (call === undefined) return;
    built.action(async () => {
      const context = await open(cli, built);
      const given = built.opts<Given<A, F>>();
      const result = await call(context, given);
      if (show !== undefined && built.opts<{ readonly json?: boolean }>().json === true)
        context.output.json(result);
      else await show?.(result, context, given);
      await finish(context);
    });
  };
}

function build<A extends Args, F, Context, Result>(
  parent: Parent,
  cli: Cli,
  { name, summary, description, args, note, commands = [] }: Definition<A, F, Context, Result>,
  flags: Flags,
): Parent {
  const built = parent.command(name).description(description);
  if (summary !== undefined) built.summary(summary);
  if (note !== undefined) built.addHelpText('after', note);
  const named = Object.entries(args ?? {});
  for (const [, { usage, text, read }] of named)
    if (read === undefined) built.argument(usage, text);
    else built.argument(usage, text, read);
  for (const [usage, spec] of Object.entries(flags)) built.addOption(optionOf(usage, spec));
  // The flags of its own commands follow their names.
  if (commands.length > 0) built.enablePositionalOptions();
  for (const add of commands) add(built, cli);
  // Arguments are read as the flags are, by name.
  return built.hook('preAction', () => {
    for (const [index, [each]] of named.entries()) built.setOptionValue(each, built.processedArgs[index]);
  });
}

function optionOf(usage: string, spec: string | Reading): Option {
  const {
    text,
    read,
    isRepeated,
    conflicts = [],
  }: Reading = typeof spec === 'string' ? { text: spec } : spec;
  const option = new Option(usage, text).conflicts([...conflicts]);
  if (read !== undefined) option.argParser(read);
  if (isRepeated === true)
    option.argParser<string[] | undefined>((value, before) => [...(before ?? []), value]);
  return option;
}

/** The flag that outputs what `call` returns. */
export const JSON_FLAG = { '--json': 'output the JSON of the server' };
/** The flag that names a build folder. */
export const ARTIFACT_FLAG = { '--artifact <dir>': 'build folder to pack as PackageArtifact/build' };

/** Reads a whole number from 1. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number, such as 3.');
}

/** Reads a number of seconds; 0 is one. @throws InvalidArgumentError */
export function seconds(text: string): number {
  return text === '0' ? 0 : wholeNumber(text);
}

/** Members without those that are not set: the parameters and bodies of calls have no others. */
export function defined<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
export function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
