/** The groups of endpoints, in the order of the document. */
export const TAGS: Readonly<Record<string, string>> = {
  Imports: 'Upload packages and follow their imports.',
  Modules: "A vendor's modules, their revisions and files.",
  'API clients': 'The API keys of a module.',
  'Trusted publishing': 'Import from CI without a stored secret.',
  'Machine access': "Endpoints for a module's back end, with its API key.",
  'Farm structures': "A farmer's farms, fields, blocks and irrigation stations.",
  Installations: 'Modules that a farmer can install or has installed.',
  Alerts: 'Alerts that modules raised for a farmer.',
  'Alert rules': "Rules that a farmer builds from modules' definitions.",
  'Catalogue and limits': 'Values that packages refer to by ID, and the limits in force.',
  Usage: 'What organizations keep, and how much they may.',
  'Audit log': 'Who changed what.',
  Sessions: 'Where you are signed in to the portal.',
  Operators: 'Endpoints for operators of the service.',
  Health: 'Probes and metrics.',
  Documents: 'Documents about the service itself.',
};
