import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';

// In JSON the one after a line break follows a letter.
const GUID = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** IDs that are the same on every deployment stay as they are. */
const LASTING = new Set([...loadCatalogue().sets.values()].flat().map(({ id }) => id));

/** Values that differ from run to run, and their replacements in an example. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:\+00:00|Z)/g, '2027-11-20T09:30:00.000+00:00'],
  [/"day":"\d{4}-\d\d-\d\d"/g, '"day":"2027-11-20"'],
  [/(\\?"traceId\\?":\\?"|,)[0-9a-f]{32}(?=\\?"|\\r\\n)/g, '$10af7651916cd43dd8448eb211c80319c'],
  [/"clientSecret":"mmk_[0-9A-Za-z]+"/g, `"clientSecret":"mmk_${'0'.repeat(49)}"`],
  [/"secretStart":"mmk_[0-9A-Za-z]+"/g, `"secretStart":"mmk_${'0'.repeat(8)}"`],
  [/whsec_[A-Za-z0-9+/]{43}=/g, `whsec_${'A'.repeat(43)}=`],
  [/(?<="pushKey":")[\w-]{87}/g, `B${'A'.repeat(86)}`],
  [/whpk_[A-Za-z0-9+/]{43}=/g, `whpk_${'A'.repeat(43)}=`],
  [/"issuer":"http:[^"]+",(?="claims":\{"project_id")/g, '"issuer":"https://gitlab.com",'],
  [/"127\.0\.0\.1:\d+(?=\/acme)/g, '"gitlab.com'],
  [/"issuer":"http:[^"]+"/g, '"issuer":"https://token.actions.githubusercontent.com"'],
  [/"token":"[\w.-]+"/g, '"token":"eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.e30.c2lnbmVk"'],
  [/\bmmi_[\w-]{43}/g, `mmi_${'0'.repeat(43)}`],
  [/"accessToken":"mmp_[\w-]+"/g, `"accessToken":"mmp_${'0'.repeat(43)}"`],
  [/"(cursor|nextCursor)":"\d+-[\da-f]{8}"/g, `"$1":"42-9f0c2b7e"`],
  [/"nextCursor":"(?!42")[\w-]+"/g, '"nextCursor":"MjAyNy0xMS0yMFQwOTozMDowMC4wMDBa"'],
  [/(?<name>\\?"(?:fingerprint|sha256|archiveSha256)\\?":\\?")[0-9a-f]{64}/g, `$<name>${'5e'.repeat(32)}`],
  [/(\\?"fileName\\?":\\?"package\.zip\\?",\\?"sizeBytes\\?"):\d+/g, '$1:2048'],
  [/"(?<name>revisionBytes|archiveBytes)":\d+/g, '"$<name>":2048'],
  [/"uploadBytes":\d+/g, '"uploadBytes":4096'],
  [/"storedBytes":\d+/g, '"storedBytes":6144'],
  [/(\\?"step\\?":\\?")(?!queued)\w+(\\?",\\?"completed\\?"):\d+,(\\?"total\\?"):\d+/g, '$1writing$2:8,$3:8'],
  [/"id: \d+\\n/g, '"id: 5\\n'],
  [
    /"name":"[^"]*","ageSeconds":\d+,"idleSeconds":\d+/g,
    '"name":"worker-1","ageSeconds":3600,"idleSeconds":12',
  ],
  [/in \d+ s\b/g, 'in 42 s'],
  [/"authorization_servers":\["[^"]*"\]/g, '"authorization_servers":["https://id.example.com"]'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://modules.example.com'],
];

/** Recorded bodies as examples: a value that differs from run to run gets one form, and one ID always the same one. */
export function asExample(recorded: unknown): unknown {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const known = names.get(id) ?? `3f2504e0-4f89-41d3-9a0c-${String(names.size + 1).padStart(12, '0')}`;
    names.set(id, known);
    return known;
  };
  let text = JSON.stringify(recorded).replaceAll(GUID, (id) => (LASTING.has(id) ? id : nameOf(id)));
  for (const [pattern, replacement] of REPLACED) text = text.replaceAll(pattern, replacement);
  return JSON.parse(text) as unknown;
}
