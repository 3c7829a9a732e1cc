/** The texts of modules in quarantine, in English. */
export const englishQuarantine = {
  title: 'Modules in quarantine',
  lead: 'Nobody gets their files and applications, and their API keys do not work. Vendors and farmers see the reason.',
  none: 'No module is in quarantine.',
  start: 'Quarantine a module',
  startAction: 'Quarantine',
  startText: 'Within a second nobody gets its files and applications any more, and its API keys do not work.',
  module: 'Module',
  moduleId: 'ID of the module',
  moduleIdHint: 'It is in the address of the module’s page, and in the facts of its imports.',
  vendor: 'Vendor',
  reason: 'Reason',
  reasonHint: 'The vendor and its farmers read it.',
  since: 'Since',
  end: 'Lift',
  endTitle: 'Lift the quarantine?',
  endText: 'Farmers get the module again within a second, and its API keys work again.',
};
