type Entry = readonly [key: string, value: string, description?: string];

function named(type: 'language' | 'currency' | 'region', codes: string): Entry[] {
  const names = new Intl.DisplayNames('en', { type });
  return codes.split(' ').map((code) => [code, names.of(code) ?? code]);
}

/** Entries whose values say their keys in words: `cropProtection` is "Crop protection". */
function worded(keys: string): Entry[] {
  return keys.split(' ').map((key) => {
    const words = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return [key, words.charAt(0).toUpperCase() + words.slice(1)];
  });
}

/** Languages in which translations are recommended, beside the required English. */
export const RECOMMENDED_LANGUAGES: ReadonlySet<string> = new Set(['de', 'es']);

/** The sets that are shipped, each entry by key. IDs are derived from set and key: a key never changes. */
export const SHIPPED_SETS: Readonly<Record<string, readonly Entry[]>> = {
  languages: named(
    'language',
    'en de es fr it pt nl pl cs sk sl hr sr bs mk bg ro hu el tr ru uk be lt lv et fi sv nb nn da is ga cy mt sq hy ka az kk uz ky tg tk mn zh ja ko vi th lo km my id ms tl hi bn pa gu mr ta te kn ml si ne ur fa ps ar he am ti so sw rw rn lg zu xh st tn af eu ca gl en-GB en-US es-MX es-AR fr-CA pt-BR zh-Hans zh-Hant',
  ),
  dataAreas: [
    [
      'FarmOrganization',
      'Farm organization',
      'farm_organizations, farms, fields, blocks, irrigation_stations',
    ],
    ['FarmOrganizationAlerts', 'Farm organization alerts', 'alert_rules, alerts'],
    ['FarmMember', 'Farm members', 'farm_members'],
    ['ADMAMasterdata', 'ADMA master data', 'adma_masterdata'],
  ],
  hostingTypes: [
    ['vendor', 'Hosted by the vendor'],
    ['platform', 'Hosted by the platform'],
  ],
  types: worded('application connector widget'),
  categories: worded('irrigation cropProtection nutrition weather machinery livestock finance compliance'),
  federationTypes: [
    ['moduleFederation', 'Module federation'],
    ['iframe', 'Inline frame'],
    ['none', 'None'],
  ],
  deploymentTypes: [
    ['0', 'Cloud'],
    ['1', 'Edge'],
    ['2', 'Hybrid'],
  ],
  paymentOptions: [
    ['free', 'Free'],
    ['subscription', 'Subscription'],
    ['oneTime', 'One-time payment'],
  ],
  paymentCycles: [
    ['monthly', 'Monthly'],
    ['quarterly', 'Quarterly'],
    ['yearly', 'Yearly'],
    ['season', 'Per season'],
  ],
  currencies: named(
    'currency',
    'EUR USD GBP CHF SEK NOK DKK PLN CZK HUF RON BGN TRY UAH CAD AUD NZD BRL ARS CLP COP MXN ZAR KES INR CNY JPY KRW ILS',
  ),
  regions: [
    ['world', 'World'],
    ['africa', 'Africa'],
    ['asia', 'Asia'],
    ['europe', 'Europe'],
    ['northAmerica', 'North America'],
    ['southAmerica', 'South America'],
    ['oceania', 'Oceania'],
  ],
  countries: named(
    'region',
    'AD AE AF AL AM AO AR AT AU AZ BA BD BE BF BG BI BJ BO BR BW BY CA CD CF CG CH CI CL CM CN CO CR CU CY CZ DE DK DO DZ EC EE EG ES ET FI FR GA GB GE GH GM GN GR GT HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KR KZ LA LB LI LK LT LU LV MA MD ME MG MK ML MM MN MR MT MW MX MY MZ NA NE NG NI NL NO NP NZ OM PA PE PG PH PK PL PS PT PY QA RO RS RU RW SA SD SE SI SK SN SV SY TD TG TH TJ TM TN TR TT TW TZ UA UG US UY UZ VE VN YE ZA ZM ZW',
  ),
  crops: worded(
    'wheat barley maize rice soybean rapeseed sunflower sugarBeet potato tomato grape olive almond apple citrus avocado cotton alfalfa',
  ),
  environments: worded('web mobile desktop'),
  appEnvironments: worded('development staging production'),
  requirements: [
    ['internet', 'Internet connection'],
    ['location', 'Location of the device'],
    ['camera', 'Camera'],
    ['weatherStation', 'Weather station'],
    ['soilSensor', 'Soil sensor'],
  ],
  documentTypes: worded('termsOfService privacyPolicy image logo'),
};
