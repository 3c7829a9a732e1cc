/** The groups of endpoints, in the order of the document. */
export const TAGS: Readonly<Record<string, string>> = {
  Imports: 'Uploading packages, and what became of them.',
  Modules: "A vendor's modules, their revisions and files.",
  'API clients': 'The API keys of a module, and the log of who made and ended them.',
  'Machine access': "What a module's own back end calls with its API key.",
  'Farm structures': "A farmer's farms, fields, blocks and irrigation stations.",
  Installations: 'What a farmer can install, and has installed.',
  Alerts: 'What modules raised for a farmer.',
  'Alert rules': 'The rules that a farmer builds from what modules offer.',
  'Catalogue and limits': 'The values that packages refer to by ID, and the limits in force.',
  Operators: 'For those who run the service.',
  Health: 'For what watches the service.',
  Documents: 'Documents about the service itself.',
};
